"""Asking a model to answer a message (S70)."""

from octavo.declarative.actions.executors import ActionCall
from octavo.declarative.actions.llm_executor import LLMActionExecutor
from octavo.declarative.rendering.prompt import Prompt, chat_prompt

MESSAGE = "message"
"""The one argument of a turn."""


class LLMChatExecutor(LLMActionExecutor):
    """Carries out turns with a client, as :class:`LLMActionExecutor` does actions."""

    @staticmethod
    def prompt(call: ActionCall) -> Prompt:
        """Return what the model is sent."""
        return chat_prompt(str(call.arguments[MESSAGE]), call.context.rendered, call.instructions)

"""What an application derives its agents and roles from (S77)."""

from collections.abc import Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, overload

from octavo.declarative.actions.action_table import ActionTable
from octavo.declarative.actions.dispatcher import Dispatcher, Retrieval
from octavo.declarative.actions.executors import AnyExecutor
from octavo.declarative.actions.failures import in_thread
from octavo.declarative.actions.llm_executor import AnyLLMClient, LLMActionExecutor
from octavo.declarative.actions.requests import (
    ActionRequest,
    ActionResponse,
    Arguments,
    action_request,
)
from octavo.declarative.actions.streams import ActionStream, AsyncActionStream
from octavo.declarative.actions.supplied import (
    checked_executors,
    checked_method,
    checked_roles,
)
from octavo.declarative.chat.chatting import Chatting
from octavo.declarative.declarations.described import declared_name
from octavo.declarative.declarations.enums import ActionType
from octavo.declarative.rendering.tokens import TokenCounter, estimated_tokens
from octavo.declarative.runtime.dispatch_context import DispatchContext
from octavo.errors import ConfigurationError

if TYPE_CHECKING:
    from octavo.declarative.chat.knowledge_binding import ChatKnowledgeBinding
    from octavo.declarative.chat.turns import ChatTurns

# Of all agents: a subclass need not call ``__init__``. Only held while one of them starts.
_STARTING: Final = RLock()


class Dispatching:
    """Carries out the actions of roles; what it needs for that comes from methods to be overridden.

    Each is asked once, before it is first needed, but for ``get_executors``. Declarations are bound then, so that mistakes in them
    show before anything is retrieved.
    """

    _dispatcher: Dispatcher | None = None
    _llm_executor: LLMActionExecutor | None = None

    def __getstate__(self) -> dict[str, object]:
        # A copy starts anew: what is ready asks this object, and may hold a client that is not copied.
        ready = ("_dispatcher", "_llm_executor")
        return {name: value for name, value in vars(self).items() if name not in ready}

    def get_llm(self) -> AnyLLMClient:
        """Return the client that LLM actions ask.

        Raises
        ------
        ConfigurationError
            Unless overridden.
        """
        raise ConfigurationError(
            f"{type(self).__name__}: an LLM action needs a language model; override get_llm"
        )

    def get_roles(self) -> Sequence[object]:
        """Return instances of the roles whose actions there are."""
        return ()

    def get_executors(self) -> Mapping[ActionType, AnyExecutor]:
        """Return executors by the type of action; one for LLM stands in place of the bundled one."""
        return {}

    def get_retrieval(self) -> Retrieval | None:
        """Return what retrieves; ``None``: actions go on without retrieval.

        Unless overridden, the runtime of the process.
        """
        return _process_runtime()

    def get_token_counter(self) -> TokenCounter:
        """Return what counts tokens; unless overridden, an estimate."""
        return estimated_tokens

    @overload
    def execute_action(
        self, action: ActionRequest, context: DispatchContext | None = None, /
    ) -> ActionResponse: ...
    @overload
    def execute_action(
        self,
        action: str,
        arguments: Arguments | None = None,
        context: DispatchContext | None = None,
    ) -> Any: ...  # noqa: ANN401 - what the action returns
    def execute_action(
        self,
        action: str | ActionRequest,
        arguments: Arguments | DispatchContext | None = None,
        context: DispatchContext | None = None,
    ) -> Any:
        """Carry out an action: retrieve what grounds it, then run its executor or its body.

        Parameters
        ----------
        action
            The action's name, ``Role.name`` where several roles have one, or a request.
        arguments
            By name; not with a request. Not changed, and reserved keys in it are ignored.
        context
            Scope, deadline, cancellation and filters of this request.

        Returns
        -------
        object
            The action's value; for a request an :class:`~octavo.declarative.ActionResponse`.

        Raises
        ------
        ConfigurationError
            There is no such action, no executor for it, or a declaration cannot work.
        InvalidArgumentError
            An argument is unknown, missing or of another type.
        ContextValidationError
            Documents were found, and truncation removed them all.
        RetrievalError
            Retrieval failed and its policy does not go on, or the executor failed.
        """
        request, context = action_request(action, arguments, context)
        response = self._ready().execute(request, context)
        return response if isinstance(action, ActionRequest) else response.value

    @overload
    async def aexecute_action(
        self, action: ActionRequest, context: DispatchContext | None = None, /
    ) -> ActionResponse: ...
    @overload
    async def aexecute_action(
        self,
        action: str,
        arguments: Arguments | None = None,
        context: DispatchContext | None = None,
    ) -> Any: ...  # noqa: ANN401 - what the action returns
    async def aexecute_action(
        self,
        action: str | ActionRequest,
        arguments: Arguments | DispatchContext | None = None,
        context: DispatchContext | None = None,
    ) -> Any:
        """Carry out an action as :meth:`execute_action` does, without holding up the event loop.

        Retrieval, and bodies that are not asynchronous, run in a thread. A task that is cancelled
        cancels the request, unless the context brings a token of its own: the retrieval, what runs in
        a thread and looks at ``current_context().dispatch``, and the dispatches inside.
        """
        request, context = action_request(action, arguments, context)
        response = await (await self._ready_async()).execute_async(request, context)
        return response if isinstance(action, ActionRequest) else response.value

    def stream_action(
        self,
        action: str | ActionRequest,
        arguments: Arguments | None = None,
        context: DispatchContext | None = None,
    ) -> ActionStream:
        """Carry out an action whose answer comes piece by piece.

        Retrieval and rendering are done when this returns, and failures of theirs raised here.

        Returns
        -------
        ActionStream
            An iterator of texts, with the context that grounds them.
        """
        request, context = action_request(action, arguments, context)
        return self._ready().stream(request, context)

    async def astream_action(
        self,
        action: str | ActionRequest,
        arguments: Arguments | None = None,
        context: DispatchContext | None = None,
    ) -> AsyncActionStream:
        """Carry out an action as :meth:`stream_action` does, without holding up the event loop."""
        request, context = action_request(action, arguments, context)
        return await (await self._ready_async()).stream_async(request, context)

    def _ready(self) -> Dispatcher:
        if self._dispatcher is not None:
            return self._dispatcher
        with _STARTING:
            if self._dispatcher is not None:
                return self._dispatcher
            agent_class = type(self) if isinstance(self, Agent) else None
            retrieval = self.get_retrieval()
            if retrieval is not None:
                checked_method("get_retrieval", retrieval, "retrieve")
            self._dispatcher = Dispatcher(
                ActionTable(checked_roles(self.get_roles()), agent_class),
                "" if agent_class is None else declared_name(agent_class),
                retrieval,
                checked_method("get_token_counter", self.get_token_counter()),
                self._executor_of,
            )
        return self._dispatcher

    async def _ready_async(self) -> Dispatcher:
        return await in_thread(self._ready) if self._dispatcher is None else self._ready()

    def _executor_of(self, kind: ActionType) -> AnyExecutor:
        executor: AnyExecutor | None = checked_executors(self.get_executors()).get(kind)
        if executor is not None:
            return executor
        if kind is not ActionType.LLM:
            raise ConfigurationError(
                f"{type(self).__name__}: there is no executor of {kind} actions; give one in "
                f"get_executors"
            )
        with _STARTING:
            if self._llm_executor is None:
                self._llm_executor = LLMActionExecutor(self.get_llm())
            return self._llm_executor


class Role(Dispatching):
    """A role: its class declares sources, its methods are actions.

    It belongs to an agent, which gives it a model. By itself it carries out its own actions, without
    what an agent declares; LLM actions then need ``get_llm`` here.
    """

    def get_roles(self) -> Sequence[object]:
        """Return the role itself."""
        return (self,)


class Agent(Chatting, Dispatching):
    """An agent: carries out the actions of its roles, and chats; knows what its own class declares.

    Examples
    --------
    >>> from octavo.declarative import ActionType, action_spec, agent_spec
    >>> class Greeter(Role):
    ...     @action_spec(type=ActionType.LOCAL)
    ...     def greet(self, name: str) -> str:
    ...         return f"Hello {name}"
    >>> @agent_spec(description="Greets")
    ... class Host(Agent):
    ...     def get_roles(self):
    ...         return [Greeter()]
    >>> Host().execute_action("greet", {"name": "Ada"})
    'Hello Ada'
    """

    _chat: "ChatTurns | None" = None

    def get_chat_knowledge(self) -> "ChatKnowledgeBinding | None":
        """Return what grounds the chat; asked once. ``None``: it goes on without retrieval.

        Unless overridden, a binding of the agent's own. One that several agents share, and whose life
        the application decides, is made once and returned here.
        """
        from octavo.declarative.chat.knowledge_binding import ChatKnowledgeBinding  # noqa: PLC0415

        retrieval = self.get_retrieval()
        return None if retrieval is None else ChatKnowledgeBinding.by(type(self), retrieval)

    @property
    def chat_knowledge(self) -> "ChatKnowledgeBinding | None":
        """What grounds the chat: remembers, forgets, and is closed."""
        return self._turns().knowledge

    def _turns(self) -> "ChatTurns":
        if self._chat is None:
            with _STARTING:
                if self._chat is None:
                    from octavo.declarative.chat.turns import turns_of  # noqa: PLC0415 - heavy

                    self._chat = turns_of(self)
        return self._chat


def _process_runtime() -> Retrieval:
    from octavo.declarative.runtime.runtime import RetrievalRuntime  # noqa: PLC0415 - heavy

    return RetrievalRuntime.default()

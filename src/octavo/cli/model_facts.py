"""What is told of the model that made an index's vectors."""

from typing import TYPE_CHECKING

from octavo.visible import printable

if TYPE_CHECKING:
    from octavo.storage.format.manifest import EmbeddingEntry


def model_facts(embedding: "EmbeddingEntry | None") -> list[tuple[str, str]]:
    """Return the model and its options, where the embedding itself does not name them."""
    if embedding is None or embedding.model is None:
        return []
    model = embedding.model
    options = "".join(f", {name} {value!r}" for name, value in sorted(model.options.items()))
    return [("model", printable(f"{model.specification}{options}"))]

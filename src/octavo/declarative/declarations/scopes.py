"""Merging search settings: one engine serves a scope, so one value serves all its sources (S60)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple

from octavo.declarative.declarations.enums import KnowledgeType, KnowledgeUse, SearchStrategy
from octavo.declarative.declarations.knowledge import Knowledge
from octavo.declarative.declarations.messages import did_you_mean, naming
from octavo.declarative.declarations.search import Search
from octavo.declarative.declarations.unset import UNSET
from octavo.errors import ConfigurationError, shown


def merged(contributions: Iterable[tuple[str, Search]]) -> Search:
    """Return the settings of a scope, field by field: what one source sets applies to all.

    Parameters
    ----------
    contributions
        Names of sources, each with what it sets.

    Raises
    ------
    ConfigurationError
        Two sources set one member to different values; the message names both.

    Examples
    --------
    >>> merged([("manual", Search(top_k=8)), ("notes", Search(rerank=False))])
    Search(rerank=False, top_k=8)
    """
    return _agreed(
        Setting(source, name, value)
        for source, search in contributions
        for name, value in search.given.items()
    )


class Setting(NamedTuple):
    """What one source sets one member to."""

    source: str
    member: str
    value: object


def _agreed(settings: Iterable[Setting]) -> Search:
    first: dict[str, Setting] = {}
    for each in settings:
        earlier = first.setdefault(each.member, each)
        if earlier.value != each.value:
            raise ConfigurationError(
                f"search.{each.member}: {earlier.source!r} sets {_told(earlier.value)} and "
                f"{each.source!r} sets {_told(each.value)}; sources that are searched together share "
                f"one value: set it once, or in the actions' entries"
            )
    members: dict[str, Any] = {each.member: each.value for each in first.values()}
    return Search(**members)


def _told(value: object) -> str:
    return value.name if isinstance(value, Enum) else shown(value)


@dataclass(frozen=True, slots=True)
class ClassScope:
    """What a role and its agent declare together; disabled sources are part of it.

    Raises
    ------
    ConfigurationError
        Two sources have one name, or their search settings contradict each other.
    """

    sources: tuple[Knowledge, ...]
    enabled: tuple[Knowledge, ...] = field(init=False)
    """The sources that can be named."""
    _by_name: dict[str, Knowledge] = field(init=False, repr=False, compare=False)
    _settings: dict[str, list[tuple[int, Setting]]] = field(init=False, repr=False, compare=False)
    """By member, who sets it, in the order of all settings; asked for every action."""

    def __post_init__(self) -> None:
        check_names(self.sources)
        enabled = tuple(each for each in self.sources if each.enabled)
        settings: dict[str, list[tuple[int, Setting]]] = {}
        everything = [
            Setting(each.name, name, value)
            for each in enabled
            if _is_searched(each)
            for name, value in each.search.given.items()
        ]
        for place, setting in enumerate(everything):
            settings.setdefault(setting.member, []).append((place, setting))
        _agreed(everything)
        object.__setattr__(self, "enabled", enabled)
        object.__setattr__(self, "_by_name", {each.name: each for each in self.sources})
        object.__setattr__(self, "_settings", settings)

    def settings(self, replaced: Collection[str]) -> list[Setting]:
        """Return what the searched sources set, without those that an action replaces.

        Of those that set one member, the first stands for all, for they agree: so this takes time in
        proportion to the members and to what is replaced, not to the sources.
        """
        first = (
            next((each for each in setters if each[1].source not in replaced), None)
            for setters in self._settings.values()
        )
        return [setting for _, setting in sorted(each for each in first if each is not None)]

    def declared(self, name: str) -> Knowledge:
        """Return an enabled source by its name.

        Raises
        ------
        ConfigurationError
            There is none of that name, or it is disabled.
        """
        source = self._by_name.get(name)
        if source is not None:
            if not source.enabled:
                raise ConfigurationError(f"the source {name!r} is disabled (enabled=False)")
            return source
        known = did_you_mean(name, (each.name for each in self.enabled))
        raise ConfigurationError(f"there is no source {name!r}; {known}")


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Sources that ground an action or a chat, and the settings by which they are searched together.

    ``search`` is ``None`` where nothing is searched.
    """

    knowledge: tuple[Knowledge, ...]
    search: Search | None


def action_scope(entries: tuple[Knowledge, ...], scope: ClassScope) -> SearchScope:
    """Return what an action's entries mean in what its class declares.

    An entry with a ``search`` contributes that, as a whole, in place of what its source declares.
    Where an entry has none, what the class declares applies, without the replaced sources.

    Raises
    ------
    ConfigurationError
        A source is unknown or disabled, an entry does not go with its source or with the others, or
        two of them set a member to different values.
    """
    chosen = tuple(_overridden(scope.declared(entry.name), entry) for entry in entries)
    _check_kinds(chosen)
    searched = [each for each in chosen if each.use is KnowledgeUse.SEARCH]
    if not searched:
        return SearchScope(chosen, None)
    if searched[0].type is KnowledgeType.GRAPH:
        return SearchScope(chosen, _graph_search(searched[0].search))
    replaced = {entry.name for entry in entries if "search" in entry.given}
    settings = [
        Setting(each.name, name, value)
        for each in searched
        if each.name in replaced
        for name, value in each.search.given.items()
    ]
    if any(
        _is_searched(scope.declared(each.name)) for each in searched if each.name not in replaced
    ):
        settings += scope.settings(replaced)
    return SearchScope(chosen, _agreed(settings))


def chat_scope(sources: Iterable[Knowledge]) -> SearchScope:
    """Return what grounds a chat: an agent's enabled sources that are searched or given whole (S72).

    Raises
    ------
    ConfigurationError
        Two of them set a member to different values.
    """
    chosen = tuple(
        each
        for each in sources
        if each.enabled
        and each.type is not KnowledgeType.GRAPH
        and each.use is not KnowledgeUse.SEQUENTIAL
    )
    searched = [(each.name, each.search) for each in chosen if _is_searched(each)]
    return SearchScope(chosen, merged(searched) if searched else None)


def check_names(entries: Iterable[Knowledge]) -> None:
    """Refuse two entries of one name.

    Raises
    ------
    ConfigurationError
        Naming the source.
    """
    seen = set()
    for entry in entries:
        if entry.name in seen:
            raise ConfigurationError(f"knowledge: the source {entry.name!r} is there twice")
        seen.add(entry.name)


def _is_searched(source: Knowledge) -> bool:
    # A graph is searched alone, by a strategy of its own: it shares no settings with documents.
    return source.use is KnowledgeUse.SEARCH and source.type is not KnowledgeType.GRAPH


def _overridden(source: Knowledge, entry: Knowledge) -> Knowledge:
    with naming("knowledge"):
        members = {name: getattr(entry, name) for name in entry.given}
        if entry.use is not KnowledgeUse.SEARCH and "search" not in members:
            members["search"] = UNSET  # what is not searched needs no declared settings
        return replace(source, **members)


def _check_kinds(chosen: tuple[Knowledge, ...]) -> None:
    for each in chosen:
        if each.type is KnowledgeType.MEMORY:
            raise ConfigurationError(
                f"knowledge: {each.name!r} is a MEMORY source, which grounds chat only"
            )
        if each.type is KnowledgeType.GRAPH and len(chosen) > 1:
            others = ", ".join(repr(other.name) for other in chosen if other is not each)
            raise ConfigurationError(
                f"knowledge: the GRAPH source {each.name!r} must be the only one, found beside it "
                f"{others}"
            )


def _graph_search(search: Search) -> Search:
    return Search(**search.given | {"strategy": SearchStrategy.GRAPH})

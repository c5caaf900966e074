"""What a role or an agent is called, and what it is for."""

from octavo.declarative.declarations.class_specs import SPEC, ClassSpec


def declared_name(cls: type) -> str:
    """Return the declared name of a role or an agent, else that of its class.

    Examples
    --------
    >>> from octavo.declarative import agent_spec
    >>> @agent_spec(name="Support desk", description="Helps")
    ... class Support: ...
    >>> declared_name(Support), description_of(Support)
    ('Support desk', 'Helps')
    """
    spec = getattr(cls, SPEC, None)
    return (spec.name if isinstance(spec, ClassSpec) else None) or cls.__name__


def description_of(cls: type) -> str:
    """Return the declared description of a role or an agent, blank without one."""
    spec = getattr(cls, SPEC, None)
    return spec.description if isinstance(spec, ClassSpec) else ""

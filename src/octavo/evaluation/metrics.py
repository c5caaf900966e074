"""Measures of a ranking by name, as ir-measures writes them: ``nDCG@10``, ``AP(rel=2)@100``."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from octavo.errors import ConfigurationError, InvalidArgumentError, shown
from octavo.evaluation.qrels import LARGEST_GRADE

DEFAULT_METRICS: Final = ("nDCG@10", "AP", "R@100")
"""How good the first page is, the whole ranking, and what a reranker after it could still find."""

GDEVAL_LARGEST_GRADE: Final = 4
"""The evaluator behind ``ERR`` and ``nDCG(dcg='exp-log2')`` is made for the grades of TREC's web track."""

_NAME: Final = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*(?:@\s*(\d+(?:\.\d+)?))?\s*")


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A measure of one query's ranking, averaged over queries.

    Parameters
    ----------
    name
        Its canonical name.
    measure
        The ``ir_measures`` object.
    """

    name: str
    measure: Any

    @property
    def cutoff(self) -> int | None:
        """How many of the best documents it looks at; ``None`` for all."""
        found = self.measure.params.get("cutoff")
        return found if isinstance(found, int) else None

    @property
    def largest_grade(self) -> int:
        """The largest grade that its evaluator takes; what is below 0 all take as not relevant."""
        evaluators = require_ir_measures().DefaultPipeline.providers
        able = (each for each in evaluators if each.is_available() and each.supports(self.measure))
        chosen = next(able, None)  # as ir-measures chooses
        is_gdeval = chosen is not None and chosen.NAME == "gdeval"
        return GDEVAL_LARGEST_GRADE if is_gdeval else LARGEST_GRADE

    def __str__(self) -> str:
        return self.name


def parse_metrics(names: Iterable[str | Metric]) -> tuple[Metric, ...]:
    """Return the metrics of some names, each once, in the order given.

    Parameters
    ----------
    names
        Of measures of ir-measures that are means over queries: ``nDCG@10``, ``AP`` (or ``MAP``),
        ``R@100``, ``P@5``, ``RR`` (or ``MRR``), ``Success@1``, ``RBP(rel=1,p=0.8)``, ...

    Raises
    ------
    InvalidArgumentError
        There is no such measure, a parameter does not fit, or it is no mean over queries.
    ConfigurationError
        ir-measures is not installed.

    Examples
    --------
    >>> [metric.name for metric in parse_metrics(["nDCG@10", "MAP", "AP"])]
    ['nDCG@10', 'AP']
    """
    given = [names] if isinstance(names, str) else list(names)
    found = [name if isinstance(name, Metric) else parse_metric(name) for name in given]
    if not found:
        raise InvalidArgumentError("metrics: expected at least one, found none")
    return tuple({metric.name: metric for metric in found}.values())


def parse_metric(name: str) -> Metric:
    """Return the metric of a name; see :func:`parse_metrics`."""
    library = require_ir_measures()
    registry = library.measures.registry
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise InvalidArgumentError(f"metric: expected one such as nDCG@10 or AP, found {name!r}")
    base = registry.get(match[1]) or _folded(registry, match[1])
    if base is None:
        known = ", ".join(sorted({each.__name__ for each in registry.values()}))
        raise InvalidArgumentError(f"metric: expected one of {known}, found {name!r}")
    parameters = _parameters(name, match[2] or "")
    if match[3] is not None:
        parameters[base.AT_PARAM] = float(match[3]) if "." in match[3] else int(match[3])
    missing = [each for each, how in base.SUPPORTED_PARAMS.items() if how.required]
    missing = [each for each in missing if each not in parameters]
    if missing:
        example = f", as in {base.__name__}@N" if base.AT_PARAM in missing else ""
        raise InvalidArgumentError(
            f"metric {name!r}: expected a value of {' and '.join(missing)}{example}, found none"
        )
    measure = base(**parameters)
    try:
        measure.validate_params()
        supported = library.DefaultPipeline.supports(measure)
    except (AssertionError, TypeError, ValueError) as error:
        raise InvalidArgumentError(f"metric {name!r}: {error}") from error
    if measure.params.get("cutoff", 1) == 0:
        raise InvalidArgumentError(f"metric {name!r}: expected a cutoff of at least 1, found 0")
    _check_gains(name, measure.params.get("gains") or {})
    if not supported:
        raise InvalidArgumentError(
            f"metric {name!r}: expected one that an installed evaluator measures{_needed(measure)}"
        )
    if not isinstance(measure.aggregator(), library.MeanAgg):
        raise InvalidArgumentError(
            f"metric {name!r}: expected a mean over queries, found a sum, which cannot be compared"
        )
    return Metric(str(measure), measure)


def require_ir_measures() -> Any:  # noqa: ANN401 - the module
    """Return ir_measures.

    Raises
    ------
    ConfigurationError
        It is not installed.
    """
    try:
        import ir_measures  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ConfigurationError(
            "evaluation needs ir-measures, which the extra 'eval' brings: pip install 'octavo[eval]'"
        ) from error
    return ir_measures


def _check_gains(name: str, gains: Mapping[int, Any]) -> None:
    for gain in gains.values():
        if not isinstance(gain, int) or not 0 <= gain <= LARGEST_GRADE:
            raise InvalidArgumentError(
                f"metric {name!r}: expected gains from 0 to {LARGEST_GRADE:,}, found {shown(gain)}"
            )


def _needed(measure: Any) -> str:  # noqa: ANN401 - a measure
    """Say which packages would bring an evaluator for a measure."""
    others = (each for each in require_ir_measures().DefaultPipeline.providers)
    missing = (each for each in others if not each.is_available() and each.supports(measure))
    told = [each.install_instructions() for each in missing]
    return f"; {' or '.join(filter(None, told))}" if any(told) else ""


def _folded(registry: dict[str, Any], name: str) -> Any:  # noqa: ANN401 - a measure
    """Return a measure whose name differs in case only."""
    found = {known.casefold(): measure for known, measure in registry.items()}
    return found.get(name.casefold())


def _parameters(name: str, text: str) -> dict[str, Any]:
    """Read ``key=value`` pairs, the values Python's literals."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        keywords = call.keywords if isinstance(call, ast.Call) and not call.args else None
        if keywords is not None:
            return {str(each.arg): ast.literal_eval(each.value) for each in keywords}
    except (SyntaxError, ValueError):
        pass
    raise InvalidArgumentError(
        f"metric {name!r}: expected parameters such as rel=2, found {text!r}"
    )

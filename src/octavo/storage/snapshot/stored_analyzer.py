"""The analyser of an index, which must be that of this octavo."""

from pathlib import Path

from octavo.analysis import Analyzer
from octavo.errors import CorpusFormatError
from octavo.storage.format.manifest import Manifest


def stored_analyzer(index: Path, manifest: Manifest) -> Analyzer:
    """Return the analyser of an index.

    Raises
    ------
    CorpusFormatError
        This octavo analyses otherwise than the one that built it.
    """
    analyzer = Analyzer.from_dict(manifest.analyzer)
    if analyzer.fingerprint != manifest.analyzer_fingerprint:
        raise CorpusFormatError(
            f"{index}: built with analyser {manifest.analyzer_fingerprint}, this octavo analyses "
            f"as {analyzer.fingerprint}; build the index again"
        )
    return analyzer

"""Names of the relations that are found without a model."""

from typing import Final

OCCURS_WITH: Final = "occurs with"
REFERS_TO: Final = "refers to"
LINKS_TO: Final = "links to"
HAS_SECTION: Final = "has section"
SPEAKS_OF: Final = "speaks of"
STANDS_FOR: Final = "stands for"
IS_ABBREVIATED: Final = "is abbreviated"

"""What a posting's two bytes say: its frequency and the length of its row, in one number.

A *code* is ``min(frequency, LARGE_FREQUENCY) * 256 + length code``. No kernel here, so that search
and build each load only their own.
"""

LARGE_FREQUENCY = 255
"""From here on the byte of a frequency says only that it is large."""

FIRST_LARGE_CODE = LARGE_FREQUENCY << 8

BLOCK = 64
"""Postings in a block. Blocks do not begin anew with each term, so rare terms waste none."""

LONGEST_TOKEN = 65_530
"""Bytes; tantivy drops longer tokens silently, and so they have no postings."""

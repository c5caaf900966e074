"""The numbers that build and search must agree on are part of the format."""

from octavo.kernels import posting_codes


def test_codes_fit_two_bytes():
    assert posting_codes.LARGE_FREQUENCY == 255
    assert posting_codes.FIRST_LARGE_CODE == 255 * 256
    assert posting_codes.FIRST_LARGE_CODE + 255 < 2**16


def test_blocks_and_tokens_are_those_of_the_format():
    assert posting_codes.BLOCK == 64
    assert posting_codes.LONGEST_TOKEN == 2**16 - 6

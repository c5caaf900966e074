"""Tiles of 8-bit dot products, against plain integers."""

import numba
import numpy as np
import pytest
from numba.core.registry import cpu_target

from octavo.kernels import code_tiles
from octavo.kernels.compile import jit_disabled

pytestmark = pytest.mark.skipif(
    not code_tiles.supported(), reason="needs 8-bit dot products of 512 bits"
)
SHAPES = {
    "single": (code_tiles.NARROW_ROWS, 0),
    "narrow": (code_tiles.NARROW_ROWS, 1),
    "wide": (code_tiles.WIDE_ROWS, code_tiles.WIDE_GROUPS),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("width", [64, 192])
@pytest.mark.parametrize("first", [0, 5, 9])
def test_masks_are_those_of_plain_arithmetic(name, width, first):
    tile = getattr(code_tiles, f"{name}_tile")
    rows, groups = SHAPES[name]

    @numba.njit
    def compare(codes, bounds, first, last, queries, group, starts, slopes, thresholds, masks):
        return tile(codes, bounds, first, last, queries, group, starts, slopes, thresholds, masks)

    random = np.random.default_rng(width + first)
    codes = random.integers(0, 256, (12, width)).astype(np.uint8)
    codes[3] = 255
    bounds = random.random((12, 2)).astype(np.float32)
    bounds[7, 1] = np.nan
    bounds[6, 1] = np.inf
    levels = random.integers(-127, 128, (128, width)).astype(np.int8)
    levels[1] = -127
    packed = levels.reshape(8, 16, -1, 4).transpose(0, 2, 1, 3)
    packed = levels[0].copy() if groups == 0 else np.ascontiguousarray(packed).ravel()
    starts = random.integers(-(10**6), 10**6, 128).astype(np.int32)
    slopes = random.random(128).astype(np.float32)
    thresholds = (10**5 * random.standard_normal(128)).astype(np.float32)
    thresholds[5] = np.inf
    masks = np.full(24, 7, np.uint16)
    group = 0 if groups == 0 else 3
    found = compare(codes, bounds, first, 11, packed, group, starts, slopes, thresholds, masks)
    dots = levels.astype(np.int64) @ codes.astype(np.int64).T + starts[:, np.newaxis]
    highest = dots.astype(np.float32) * bounds[:, 0] + slopes[:, np.newaxis] * bounds[:, 1]
    possible = ~(highest < thresholds[:, np.newaxis])
    lanes = max(1, 16 * groups)
    for row in range(rows):
        own = possible[16 * group : 16 * group + lanes, min(first + row, 11)]
        bits = [
            bool((int(masks[row * max(1, groups) + lane // 16]) >> lane % 16) & 1)
            for lane in range(lanes)
        ]
        assert bits == own.tolist()
    assert bool(found) == any(masks[: rows * max(1, groups)].tolist())


def test_support_is_that_of_the_code_generator():
    _, _, features = cpu_target.target_context.codegen().magic_tuple()
    assert "+avx512vnni" in features
    assert not jit_disabled()

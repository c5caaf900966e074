"""Four-bit codes against the definition, and against FAISS's own."""

import faiss
import numpy as np
import pytest

from octavo.kernels.quantize import CENTROIDS, quantize


def coded(vectors, rows, centroids, width):
    slices = vectors.shape[1] // width
    codes = np.zeros((len(rows), -(-slices // 2)), np.uint8)
    quantize(vectors, rows, centroids, width, codes)
    nibbles = np.stack([codes & 15, codes >> 4], axis=2).reshape(len(rows), -1)
    return codes, nibbles[:, :slices]


@pytest.mark.parametrize(("slices", "width"), [(1, 1), (3, 1), (4, 2), (5, 3)])
def test_each_slice_gets_its_nearest_centroid(slices, width):
    random = np.random.default_rng(4)
    # Small integers: distances are exact in float32, and ties are frequent.
    vectors = random.integers(-3, 4, (30, slices * width)).astype(np.float32)
    centroids = random.integers(-3, 4, (slices * width, CENTROIDS)).astype(np.float32)
    rows = random.integers(0, len(vectors), 17)
    _, found = coded(vectors, rows, centroids, width)
    for row, codes in zip(rows.tolist(), found.tolist(), strict=True):
        for number, code in enumerate(codes):
            part = slice(number * width, (number + 1) * width)
            distances = [
                sum((vectors[row, part] - centroids[part, each]) ** 2) for each in range(CENTROIDS)
            ]
            assert code == distances.index(min(distances))


def test_the_layout_is_that_of_faiss():
    vectors = np.random.default_rng(5).standard_normal((600, 12), np.float32)
    quantizer = faiss.ProductQuantizer(12, 4, 4)
    quantizer.cp.min_points_per_centroid = 1
    quantizer.train(vectors)
    centroids = faiss.vector_to_array(quantizer.centroids).reshape(4, CENTROIDS, 3)
    table = np.ascontiguousarray(centroids.transpose(0, 2, 1).reshape(12, CENTROIDS))
    codes, _ = coded(vectors, np.arange(600), table, 3)
    assert (codes == quantizer.compute_codes(vectors)).all()

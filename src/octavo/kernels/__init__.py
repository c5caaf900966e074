"""Numba kernels: flat arrays in, flat arrays out, one algorithm per file."""

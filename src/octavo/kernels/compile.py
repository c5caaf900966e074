"""Eager, cached compilation of kernels, with a fallback where nothing can be cached."""

import os
import pickle
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba import types

Function = TypeVar("Function", bound=Callable[..., Any])


def readonly(dtype: types.Type, ndim: int = 1) -> types.Array:
    """Return the numba type of a C-contiguous array that is only read.

    Memory-mapped Arrow buffers arrive read-only; a read-only signature takes writable arrays too.
    """
    return types.Array(dtype, ndim, "C", readonly=True)


def writable(dtype: types.Type, ndim: int = 1) -> types.Array:
    """Return the numba type of a C-contiguous array that the kernel writes to."""
    return types.Array(dtype, ndim, "C")


def kernel(signature: Any) -> Callable[[Function], Function]:  # noqa: ANN401 - numba's own types
    """Compile a function for one explicit signature, without the GIL, cached on disk if possible.

    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python and must give the same bits. Where
    no cache directory is writable, the disk is full or a cache file is damaged, the kernel is
    compiled without a cache instead of failing the import.
    """

    def compile_kernel(function: Function) -> Function:
        options: dict[str, Any] = {"nogil": True, "fastmath": False, "boundscheck": False}
        try:
            return numba.njit(signature, cache=True, **options)(function)  # type: ignore[no-any-return]
        except (RuntimeError, OSError, EOFError, pickle.UnpicklingError):
            return numba.njit(signature, cache=False, **options)(function)  # type: ignore[no-any-return]

    return compile_kernel


def jit_disabled() -> bool:
    """Whether kernels run as plain Python (``NUMBA_DISABLE_JIT``)."""
    return bool(int(os.environ.get("NUMBA_DISABLE_JIT", "0") or "0"))

"""Cached compilation of kernels when they are first called, also where nothing can be cached."""

import logging
import os
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import typeof_impl

_LOGGER = logging.getLogger(__name__)
Function = TypeVar("Function", bound=Callable[..., Any])


def readonly(dtype: types.Type, ndim: int = 1) -> types.Array:
    """Return the numba type of a C-contiguous array that is only read.

    Memory-mapped Arrow buffers arrive read-only; a read-only signature takes writable arrays too.
    """
    return types.Array(dtype, ndim, "C", readonly=True)


def writable(dtype: types.Type, ndim: int = 1) -> types.Array:
    """Return the numba type of a C-contiguous array that the kernel writes to."""
    return types.Array(dtype, ndim, "C")


class Kernel:
    """A function that is compiled, or read from the cache, when it is first called.

    So a process pays for the kernels that it runs and no others. Kernels may call kernels. Safe to
    share between threads.

    Parameters
    ----------
    function
        What to compile; kept as ``py_func``.
    signature
        The one signature, or a list of them; no other is ever compiled.
    """

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:  # noqa: ANN401
        update_wrapper(self, function)
        self.py_func = function
        self._signature = signature
        self._compiled: Any = None

    def compiled(self) -> Any:  # noqa: ANN401 - numba's dispatcher
        """Return the compiled function."""
        if self._compiled is None:
            with global_compiler_lock:
                if self._compiled is None:
                    self._compiled = _compiled(self.py_func, self._signature)
        return self._compiled

    def __call__(self, *arguments: Any) -> Any:  # noqa: ANN401
        """Run the compiled function."""
        compiled = self._compiled
        return (self.compiled() if compiled is None else compiled)(*arguments)


def kernel(signature: Any) -> Callable[[Function], Function]:  # noqa: ANN401 - numba's own types
    """Compile a function for one explicit signature, without the GIL, cached on disk if possible.

    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python and must give the same bits. Where
    no cache directory is writable, the disk is full or a cache file is damaged, the kernel is
    compiled without a cache instead of failing.
    """

    def deferred(function: Function) -> Function:
        return function if jit_disabled() else cast("Function", Kernel(function, signature))

    return deferred


def jit_disabled() -> bool:
    """Whether kernels run as plain Python (``NUMBA_DISABLE_JIT``)."""
    return bool(int(os.environ.get("NUMBA_DISABLE_JIT", "0") or "0"))


def _compiled(function: Callable[..., Any], signature: Any) -> Any:  # noqa: ANN401
    options: dict[str, Any] = {"nogil": True, "fastmath": False, "boundscheck": False}
    try:
        compiled = numba.njit(signature, cache=True, **options)(function)
    except Exception:  # noqa: BLE001 - no cache, a full disk; and a damaged file can raise anything
        return numba.njit(signature, cache=False, **options)(function)
    if compiled.stats.cache_misses:
        _LOGGER.info("compiled %s; later processes read it from the cache", function.__name__)
    return compiled


@typeof_impl.register(Kernel)
def _type_of_kernel(value: Kernel, context: object) -> types.Type:
    """Tell numba what a kernel is that another kernel calls."""
    del context
    return types.Dispatcher(value.compiled())

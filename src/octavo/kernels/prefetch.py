"""Ask for memory before it is needed: a hint to the processor that changes no result."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from octavo.kernels.compile import jit_disabled, kernel, readonly

_LINE = 16  # float32 values in a line of the caches


def _emit_fetch(typing_context: Any, values: Any, place: Any) -> Any:  # noqa: ANN401, ARG001 - numba's own types
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        value = builder.gep(array.data, [arguments[1]])
        value = builder.bitcast(value, ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [value.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch.p0", (), kind)
        hints = [ir.Constant(number, hint) for hint in (0, 3, 1)]  # to read, to keep, data
        builder.call(function, [value, *hints])
        return context.get_dummy_value()

    return types.void(values, place), generate


def _no_fetch(values: NDArray[Any], place: int) -> None:
    """Do nothing: plain Python has no such hint."""


fetch: Any = _no_fetch if jit_disabled() else intrinsic(_emit_fetch)
"""``fetch(values, place)`` in a kernel: ask for the value at a place of an array in C order."""


@kernel(types.void(readonly(types.float32, 2), types.int64))
def fetch_row(vectors: NDArray[np.float32], row: int) -> None:
    """Ask for a row of ``vectors``."""
    for column in range(0, vectors.shape[1], _LINE):
        fetch(vectors, row * vectors.shape[1] + column)

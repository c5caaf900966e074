"""Compare tiles of 8-bit codes with the processor's own 8-bit dot products (AVX-512 VNNI).

One instruction multiplies 64 pairs of bytes and adds them, four by four, to 16 integers: four times
what a float32 product does. numba cannot express it, so these functions emit it as LLVM code. All
arithmetic on codes is exact, whatever the order. :func:`supported` says whether this processor has
the instruction; where it has not, tiles leave no pair over, and must not be asked.

A tile compares a few consecutive codes with groups of 16 queries and leaves one bit a pair in
``masks``: set unless ``dot * scale + residual * slope < threshold``. Only those pairs are looked at
again, so no score is ever written to memory.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from octavo.kernels.compile import jit_disabled

LANES = 16  # queries in a group
CHUNK = 64  # bytes in a register; codes are padded to whole chunks

_AHEAD = 2048  # bytes: how far ahead codes are fetched (measured)
_INT8, _INT16, _INT32, _INT64 = (ir.IntType(bits) for bits in (8, 16, 32, 64))
_FLOAT = ir.FloatType()
_BYTES = ir.VectorType(_INT8, CHUNK)
_SUMS = ir.VectorType(_INT32, LANES)
_VALUES = ir.VectorType(_FLOAT, LANES)


@cache
def supported() -> bool:
    """Whether kernels are compiled, and for a processor with 8-bit dot products of 512 bits."""
    if jit_disabled():
        return False
    _, _, features = cpu_target.target_context.codegen().magic_tuple()
    return {"+avx512vnni", "+avx512bw"} <= set(features.split(","))


def _integer(value: int) -> ir.Constant:
    return ir.Constant(_INT64, value)


def _splat(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Return a vector with ``value`` in every lane."""
    empty = ir.Constant(ir.VectorType(value.type, LANES), ir.Undefined)
    one = builder.insert_element(empty, value, ir.Constant(_INT32, 0))
    return builder.shuffle_vector(one, empty, ir.Constant(_SUMS, [0] * LANES))


class _Emitter:
    """Emits the code of a tile: what its arrays hold, and the loop over the codes' bytes.

    The arguments are ``codes, bounds, first, last, queries, group, starts, slopes, thresholds,
    masks``, as :func:`octavo.kernels.code_scan.scan_codes` has them.
    """

    def __init__(self, context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> None:  # noqa: ANN401 - numba's own types
        self.builder = builder
        kinds = zip(signature.args, arguments, strict=True)
        values = [
            context.make_array(kind)(context, builder, value)
            if isinstance(kind, types.Array)
            else value
            for kind, value in kinds
        ]
        (codes, bounds, self.first, self.last, queries, self.group, starts, slopes) = values[:8]
        self.codes, self.bounds, self.queries = codes.data, bounds.data, queries.data
        self.starts, self.slopes = starts.data, slopes.data
        self.thresholds, self.masks = values[8].data, values[9].data
        self.width = builder.extract_value(codes.shape, 1)

    def load(self, base: ir.Value, offset: ir.Value, kind: ir.Type) -> ir.Value:
        """Load a ``kind`` from element ``offset`` of ``base``, wherever that lies in memory."""
        place = self.builder.gep(base, [offset])
        value = self.builder.load(self.builder.bitcast(place, kind.as_pointer()))
        value.align = 1
        return value

    def rows(self, count: int) -> list[ir.Value]:
        """Return the rows of the tile; those past the last one repeat it."""
        builder = self.builder
        numbers = [builder.add(self.first, _integer(number)) for number in range(count)]
        return [
            builder.select(builder.icmp_signed("<", number, self.last), number, self.last)
            for number in numbers
        ]

    def bound(self, row: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Return the scale and the residual of a row."""
        place = self.builder.mul(row, _integer(2))
        scale = self.load(self.bounds, place, _FLOAT)
        return scale, self.load(self.bounds, self.builder.add(place, _integer(1)), _FLOAT)

    def dot(self, sums: ir.Value, codes: ir.Value, queries: ir.Value) -> ir.Value:
        """Add the products of unsigned ``codes`` and signed ``queries`` to ``sums``."""
        name = "llvm.x86.avx512.vpdpbusd.512"
        kind = ir.FunctionType(_SUMS, [_SUMS, _BYTES, _BYTES])
        function = self.builder.module.declare_intrinsic(name, (), kind)
        return self.builder.call(function, [sums, codes, queries])

    def fetch(self, place: ir.Value) -> None:
        """Ask for the codes that a later tile will need."""
        arguments = [_INT8.as_pointer(), _INT32, _INT32, _INT32]
        kind = ir.FunctionType(ir.VoidType(), arguments)
        function = self.builder.module.declare_intrinsic("llvm.prefetch.p0", (), kind)
        ahead = self.builder.gep(place, [_integer(_AHEAD)])
        hints = [ir.Constant(_INT32, hint) for hint in (0, 3, 1)]  # to read, to keep, data
        self.builder.call(function, [ahead, *hints])

    def loop(
        self,
        steps: ir.Value,
        initial: list[ir.Value],
        body: Callable[[ir.Value, list[ir.Value]], list[ir.Value]],
    ) -> list[ir.Value]:
        """Carry registers through ``steps`` rounds of ``body`` and return what they then hold."""
        builder = self.builder
        before = builder.block
        repeat = builder.append_basic_block("step")
        after = builder.append_basic_block("done")
        builder.branch(repeat)
        builder.position_at_end(repeat)
        step = builder.phi(_INT64)
        carried = [builder.phi(value.type) for value in initial]
        results = body(step, list(carried))
        following = builder.add(step, _integer(1))
        for phi, start, result in zip(
            [step, *carried], [_integer(0), *initial], [following, *results], strict=True
        ):
            phi.add_incoming(start, before)
            phi.add_incoming(result, repeat)
        builder.cbranch(builder.icmp_signed("<", following, steps), repeat, after)
        builder.position_at_end(after)
        return results

    def store_mask(self, number: int, mask: ir.Value) -> None:
        """Write one of the masks."""
        self.builder.store(mask, self.builder.gep(self.masks, [_integer(number)]))


def _emit_groups(emitter: _Emitter, rows: int, groups: int) -> ir.Value:
    """Emit a tile of ``rows`` codes and ``groups`` groups of queries, one query a lane."""
    builder = emitter.builder
    numbers = emitter.rows(rows)
    places = [builder.gep(emitter.codes, [builder.mul(row, emitter.width)]) for row in numbers]
    members = [builder.add(emitter.group, _integer(group)) for group in range(groups)]
    lanes = [builder.mul(member, _integer(LANES)) for member in members]
    packed = [builder.gep(emitter.queries, [builder.mul(lane, emitter.width)]) for lane in lanes]
    starts = [emitter.load(emitter.starts, lane, _SUMS) for lane in lanes]

    def body(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        chunk = builder.mul(step, _integer(CHUNK))
        emitter.fetch(builder.gep(places[0], [chunk]))
        queries = [emitter.load(place, chunk, _BYTES) for place in packed]
        results = []
        for row in range(rows):
            four = emitter.load(places[row], builder.mul(step, _integer(4)), _INT32)
            codes = builder.bitcast(_splat(builder, four), _BYTES)
            own = zip(sums[row * groups : (row + 1) * groups], queries, strict=True)
            results.extend([emitter.dot(total, codes, query) for total, query in own])
        return results

    dots = emitter.loop(builder.udiv(emitter.width, _integer(4)), starts * rows, body)
    slopes = [emitter.load(emitter.slopes, lane, _VALUES) for lane in lanes]
    thresholds = [emitter.load(emitter.thresholds, lane, _VALUES) for lane in lanes]
    found = _integer(0)
    for row in range(rows):
        scale, residual = (_splat(builder, value) for value in emitter.bound(numbers[row]))
        for group in range(groups):
            value = builder.fmul(builder.sitofp(dots[row * groups + group], _VALUES), scale)
            highest = builder.fadd(value, builder.fmul(residual, slopes[group]))
            possible = builder.fcmp_unordered(">=", highest, thresholds[group])
            mask = builder.bitcast(possible, _INT16)
            emitter.store_mask(row * groups + group, mask)
            found = builder.or_(found, builder.zext(mask, _INT64))
    return found


def _emit_single(emitter: _Emitter, rows: int) -> ir.Value:
    """Emit a tile of ``rows`` codes and one query, whose codes lie as those of the rows do."""
    builder = emitter.builder
    numbers = emitter.rows(rows)
    places = [builder.gep(emitter.codes, [builder.mul(row, emitter.width)]) for row in numbers]

    def body(step: ir.Value, sums: list[ir.Value]) -> list[ir.Value]:
        chunk = builder.mul(step, _integer(CHUNK))
        query = emitter.load(emitter.queries, chunk, _BYTES)
        results = []
        for place, total in zip(places, sums, strict=True):
            emitter.fetch(builder.gep(place, [chunk]))
            results.append(emitter.dot(total, emitter.load(place, chunk, _BYTES), query))
        return results

    zero = ir.Constant(_SUMS, [0] * LANES)
    sums = emitter.loop(builder.udiv(emitter.width, _integer(CHUNK)), [zero] * rows, body)
    kind = ir.FunctionType(_INT32, [_SUMS])
    total = builder.module.declare_intrinsic("llvm.vector.reduce.add.v16i32", (), kind)
    start = emitter.load(emitter.starts, _integer(0), _INT32)
    slope = emitter.load(emitter.slopes, _integer(0), _FLOAT)
    threshold = emitter.load(emitter.thresholds, _integer(0), _FLOAT)
    found = _integer(0)
    for row in range(rows):
        scale, residual = emitter.bound(numbers[row])
        dot = builder.add(start, builder.call(total, [sums[row]]))
        value = builder.fmul(builder.sitofp(dot, _FLOAT), scale)
        highest = builder.fadd(value, builder.fmul(residual, slope))
        mask = builder.zext(builder.fcmp_unordered(">=", highest, threshold), _INT16)
        emitter.store_mask(row, mask)
        found = builder.or_(found, builder.zext(mask, _INT64))
    return found


def _tile(emit: Callable[[_Emitter], ir.Value]) -> Any:  # noqa: ANN401 - a numba intrinsic
    """Return a function for kernels that compares one tile; not 0 where a bit of a mask is set."""

    @intrinsic
    def compare_tile(
        typing_context: Any,  # noqa: ANN401, ARG001 - numba's own types
        codes: Any,  # noqa: ANN401
        bounds: Any,  # noqa: ANN401
        first: Any,  # noqa: ANN401
        last: Any,  # noqa: ANN401
        queries: Any,  # noqa: ANN401
        group: Any,  # noqa: ANN401
        starts: Any,  # noqa: ANN401
        slopes: Any,  # noqa: ANN401
        thresholds: Any,  # noqa: ANN401
        masks: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401
            if not supported():  # kernels are compiled everywhere, if not called
                return _integer(0)
            return emit(_Emitter(context, builder, signature, arguments))

        signature = types.int64(
            codes, bounds, first, last, queries, group, starts, slopes, thresholds, masks
        )
        return signature, generate

    return compare_tile


# Shapes for which the registers suffice and the loads keep up (measured).
NARROW_ROWS = 8  # of a single query too
WIDE_ROWS, WIDE_GROUPS = 6, 4
single_tile = _tile(lambda emitter: _emit_single(emitter, NARROW_ROWS))
narrow_tile = _tile(lambda emitter: _emit_groups(emitter, NARROW_ROWS, 1))
wide_tile = _tile(lambda emitter: _emit_groups(emitter, WIDE_ROWS, WIDE_GROUPS))

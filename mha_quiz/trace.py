"""What one run of the attention core used: shapes, parameters, multiply-adds, bytes.

The core itself is run, on arrays that write down what is done to them (`TracedArray`); it knows nothing of this. A
layer too large to compute is run dry (`DryArray`): the same core on arrays that have a shape and a type but no
numbers, so that only shapes are worked out. Names follow the data: x times w_q is q, q times k is scores, and what is
computed from scores alone is still called scores.

FLOPs are 2 · multiply-adds of the matrix products; softmax, scaling, masks and biases are not counted.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Never, Protocol, Self, TypedDict, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from mha_quiz.attention import Array, MultiHeadAttention, Shape, parameter_shapes, project

REAL_NUMBERS = 2**24
REAL_MULTIPLY_ADDS = 2 * 10**8
"""A run is computed for real up to these sizes: no larger array, no more work (about a tenth of a second)."""

PRODUCTS = {"w_q": "q", "w_k": "k", "w_v": "v", "k": "scores", "v": "heads", "w_o": "output"}
"""What a matrix product is called, by its right factor."""

Stage = Literal[
    "q projected",
    "q split",
    "k projected",
    "k split",
    "k cache",
    "k transposed",
    "v projected",
    "v split",
    "v cache",
    "scores",
    "row sums",
    "weights",
    "head output",
    "joined",
    "output",
]

# Where a stage is found: name and operation of a step, which of these steps, and which input (None: its result).
_STAGES: dict[Stage, tuple[str, str, int, int | None]] = {
    "q projected": ("q", "matmul", 0, None),  # [..., n, h·d_k]
    "q split": ("q", "swapaxes", 0, None),  # [..., h, n, d_k]
    "k projected": ("k", "matmul", 0, None),  # [..., m, g·d_k]
    "k split": ("k", "swapaxes", 0, None),  # [..., g, m, d_k]
    "k cache": ("k", "swapaxes", -1, 0),  # [..., g, m, d_k], all keys the queries meet
    "k transposed": ("k", "swapaxes", -1, None),  # [..., g, d_k, m]
    "v projected": ("v", "matmul", 0, None),  # [..., m, g·d_v]
    "v split": ("v", "swapaxes", 0, None),  # [..., g, m, d_v]
    "v cache": ("heads", "matmul", 0, 1),  # [..., g, m, d_v]
    "scores": ("scores", "maximum.reduce", 0, 0),  # [..., h, n, m]
    "row sums": ("scores", "add.reduce", 0, None),  # [..., h, n, 1], the denominators of softmax
    "weights": ("scores", "divide", -1, None),  # [..., h, n, m]
    "head output": ("heads", "swapaxes", 0, 0),  # [..., h, n, d_v]
    "joined": ("output", "matmul", 0, 0),  # [..., n, h·d_v]
    "output": ("output", "matmul", 0, None),  # [..., n, d_out]
}


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a run, as it happened."""

    name: str
    """What the result is: q, k, v, scores, heads or output."""
    operation: str
    """As NumPy calls it: matmul, reshape, swapaxes, maximum.reduce, …"""
    inputs: tuple[Shape, ...]
    shape: Shape
    itemsize: int
    """Bytes of one number."""

    @property
    def multiply_adds(self) -> int:
        """Each number of a matrix product sums as many products as the inner axis is long; 0 for other operations."""
        return math.prod(self.shape) * self.inputs[0][-1] if self.operation == "matmul" else 0


@dataclass(slots=True)
class Tape:
    """What was written down so far. The arrays of one run share it."""

    steps: list[Step] = field(default_factory=list)
    finite_scores: int | None = None
    """Counted after masking; None if nothing was masked, or nothing could be counted (dry)."""


class TracedArray(np.ndarray[Any, np.dtype[Any]]):
    """An array with a name, which computes as any other and writes each step on a tape. Views inherit both."""

    name: str
    tape: Tape

    @classmethod
    def of(cls, array: Array, name: str, tape: Tape) -> Self:
        traced = array.view(cls)
        traced.name, traced.tape = name, tape
        return traced

    @classmethod
    def blank(cls, shape: Shape, dtype: npt.DTypeLike, name: str, tape: Tape) -> Self:
        """Zeros: what a run uses does not depend on the numbers."""
        return cls.of(np.zeros(shape, dtype), name, tape)

    def __array_finalize__(self, parent: Array | None) -> None:
        if isinstance(parent, TracedArray):
            self.name, self.tape = parent.name, parent.tape

    def reshape(self, *shape: Any, **options: Any) -> Any:
        return self._record(self.name, "reshape", (self,), super().reshape(*shape, **options))

    def swapaxes(self, axis1: Any, axis2: Any, /) -> Any:
        return self._record(self.name, "swapaxes", (self,), super().swapaxes(axis1, axis2))

    def __array_ufunc__(self, ufunc: np.ufunc, method: Any, *inputs: Any, **options: Any) -> Any:
        name = next((array.name for array in inputs if isinstance(array, TracedArray)), self.name)
        if ufunc is np.matmul:
            right = getattr(inputs[1], "name", "?")
            name = PRODUCTS.get(right, f"{name}·{right}")
        operation = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        into = options.pop("out", None)
        if into is not None:
            options["out"] = tuple(map(_plain, into))
        result = self._compute(ufunc, method, tuple(map(_plain, inputs)), options)
        return self._record(name, operation, inputs, result if into is None else into[0])

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        if function is np.where:
            allowed, scores, otherwise = args
            result = self._mask(_plain(allowed), _plain(scores), otherwise)
            return self._record(scores.name, "where", (allowed, scores), result)
        if function is np.tri:
            return self._record("triangle", "tri", (), self._triangle(args[0], options["M"]))
        if function is np.concatenate:
            (parts,) = args
            result = self._join([_plain(part) for part in parts], options["axis"])
            return self._record(self.name, "concatenate", parts, result)
        return super().__array_function__(function, types, args, options)

    def _record(self, name: str, operation: str, inputs: Iterable[Any], result: Any) -> Any:
        if not isinstance(result, np.ndarray):
            return result  # a single number is no array
        traced = result if isinstance(result, TracedArray) else self.of(result, name, self.tape)
        shapes = tuple(array.shape for array in inputs if isinstance(array, np.ndarray))
        self.tape.steps.append(Step(name, operation, shapes, traced.shape, traced.itemsize))
        return traced

    def _compute(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return getattr(ufunc, method)(*inputs, **options)

    def _mask(self, allowed: Array, scores: Array, otherwise: float) -> Array:
        result = np.where(allowed, scores, otherwise)
        self.tape.finite_scores = int(np.count_nonzero(np.isfinite(result)))
        return result

    def _triangle(self, n: int, m: int) -> Array:
        return np.tri(n, m, dtype=np.bool_)

    def _join(self, parts: list[Array], axis: int) -> Array:
        return np.concatenate(parts, axis=axis)


class DryArray(TracedArray):
    """An array without numbers: one 0 seen from every index, since all strides are 0. It takes a few bytes at any shape.

    Shape, bytes and views are NumPy's own; of a computation only shape and type are worked out. A number or a truth
    value read from it would be made up, so asking for one is a TypeError.
    """

    @classmethod
    def blank(cls, shape: Shape, dtype: npt.DTypeLike, name: str, tape: Tape) -> Self:
        return cls.of(_without_numbers(shape, np.dtype(dtype)), name, tape)

    def item(self, *_: Any) -> Never:
        raise TypeError("a dry array has no numbers")

    __bool__ = __int__ = __float__ = item

    def __repr__(self) -> str:
        return f"DryArray(shape={self.shape}, dtype={self.dtype})"

    __str__ = __repr__

    def _compute(self, ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        shapes = tuple(np.shape(array) for array in inputs)
        if ufunc is np.matmul:
            shape = _product_shape(*shapes)
        elif method == "__call__":
            shape = np.broadcast_shapes(*shapes)
        elif method == "reduce":
            shape = _reduced_shape(shapes[0], options.get("axis", 0), options.get("keepdims", False))
            inputs *= 2  # a reduction applies the ufunc to two numbers of the array
        else:
            raise TypeError(f"a dry array does not answer {ufunc.__name__}.{method}")
        if "out" in options and options["out"][0].shape != shape:
            raise ValueError(f"a result of shape {shape} does not fit into {options['out'][0].shape}")
        kinds = tuple(value.dtype if isinstance(value, np.ndarray | np.generic) else type(value) for value in inputs)
        dtypes = ufunc.resolve_dtypes((*kinds, None), reduction=method == "reduce")
        return _without_numbers(shape, dtypes[-1])

    def _mask(self, allowed: Array, scores: Array, otherwise: float) -> Array:
        return _without_numbers(np.broadcast_shapes(allowed.shape, scores.shape), scores.dtype)

    def _triangle(self, n: int, m: int) -> Array:
        return _without_numbers((n, m), np.dtype(np.bool_))

    def _join(self, parts: list[Array], axis: int) -> Array:
        if len({tuple(np.delete(part.shape, axis)) for part in parts}) > 1:
            raise ValueError(f"cannot join {[part.shape for part in parts]} along axis {axis}")
        shape = list(parts[0].shape)
        shape[axis] = sum(part.shape[axis] for part in parts)
        return _without_numbers(tuple(shape), np.result_type(*parts))


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, TracedArray) else value


def _without_numbers(shape: Shape, dtype: np.dtype[Any]) -> Array:
    return np.broadcast_to(np.zeros((), dtype), shape)


def _product_shape(left: Shape, right: Shape) -> Shape:
    """Of a matrix product [..., n, a] times [..., a, m]. ValueError if the inner axes differ."""
    if min(len(left), len(right)) < 2 or left[-1] != right[-2]:
        raise ValueError(f"matmul: {left} times {right}, the inner axes do not match")
    return (*np.broadcast_shapes(left[:-2], right[:-2]), left[-2], right[-1])


def _reduced_shape(shape: Shape, axis: int | tuple[int, ...] | None, keepdims: bool) -> Shape:
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {i % len(shape) for i in axes}
    return tuple(1 if i in gone else size for i, size in enumerate(shape) if keepdims or i not in gone)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The record of one run."""

    steps: tuple[Step, ...]
    tensors: Mapping[str, Array]
    """The layer's parameters, by name."""
    output: Array
    weights: Array
    """As the layer returned them: [..., n, d_out] and [..., h, n, m]."""
    dry: bool
    causal: bool
    counted_scores: int | None
    """Finite scores, counted in the masked scores of a real run."""

    def shape(self, stage: Stage) -> Shape:
        return self._find(stage)[1]

    def nbytes(self, stage: Stage) -> int:
        step, shape = self._find(stage)
        return math.prod(shape) * step.itemsize

    def _find(self, stage: Stage) -> tuple[Step, Shape]:
        name, operation, which, side = _STAGES[stage]
        step = [step for step in self.steps if step.name == name and step.operation == operation][which]
        return step, step.shape if side is None else step.inputs[side]

    @property
    def parameters(self) -> int:
        return sum(tensor.size for tensor in self.tensors.values())

    @property
    def products(self) -> dict[str, int]:
        """Multiply-adds of each matrix product: q, k, v, scores, heads, output."""
        return {step.name: step.multiply_adds for step in self.steps if step.operation == "matmul"}

    @property
    def multiply_adds(self) -> int:
        return sum(self.products.values())

    @property
    def flops(self) -> int:
        return 2 * self.multiply_adds

    @property
    def kv_cache_nbytes(self) -> int:
        """Bytes of k and v of all tokens, before query heads share them."""
        return self.nbytes("k cache") + self.nbytes("v cache")

    @property
    def finite_scores(self) -> int:
        """Scores that the causal mask leaves; of a dry run, the pairs allowed by such a mask, for every map."""
        *maps, n, m = self.shape("scores")
        if not self.causal:
            return math.prod(maps) * n * m
        if self.counted_scores is not None:
            return self.counted_scores
        rows = max(1, REAL_NUMBERS // m)
        triangles = (np.tri(min(rows, n - first), m, k=first, dtype=np.bool_) for first in range(0, n, rows))
        return math.prod(maps) * sum(int(np.count_nonzero(triangle)) for triangle in triangles)

    @property
    def blocked_scores(self) -> int:
        return math.prod(self.shape("scores")) - self.finite_scores


@dataclass(frozen=True, slots=True)
class Training:
    """The matrix products of one training step of the four projections, forward and backward."""

    steps: tuple[Step, ...]
    forward: int
    """Multiply-adds."""
    backward: int
    """Multiply-adds."""


class LayerOptions(TypedDict, total=False):
    """Sizes of a layer, as `parameter_shapes` reads them."""

    n_kv_heads: int | None
    d_k: int | None
    d_v: int | None
    k_width: int | None
    v_width: int | None
    bias: bool


def dry_layer(
    d_model: int, n_heads: int, *, dtype: npt.DTypeLike = np.float32, **options: Unpack[LayerOptions]
) -> MultiHeadAttention:
    """A layer of any size whose tensors hold no numbers; it can be measured, not used."""
    return _blank_layer(DryArray, d_model, n_heads, dtype, options)


def _blank_layer(
    kind: type[TracedArray], d_model: int, n_heads: int, dtype: npt.DTypeLike, options: LayerOptions
) -> MultiHeadAttention:
    shapes = parameter_shapes(d_model, n_heads, **options)
    tensors = {name: kind.blank(shape, dtype, name, Tape()) for name, shape in shapes.items()}
    n_kv_heads = options.get("n_kv_heads")
    return MultiHeadAttention(**tensors, n_heads=n_heads, n_kv_heads=n_heads if n_kv_heads is None else n_kv_heads)


def _on_tape(layer: MultiHeadAttention) -> tuple[MultiHeadAttention, Callable[[Shape, str], TracedArray], Tape]:
    """The layer with its tensors on a new tape, and a maker of blank arrays of the same kind on that tape."""
    tape = Tape()
    kind = DryArray if isinstance(layer.w_q, DryArray) else TracedArray
    tensors: dict[str, Any] = {name: kind.of(tensor, name, tape) for name, tensor in layer.parameters.items()}
    return replace(layer, **tensors), lambda shape, name: kind.blank(shape, layer.w_q.dtype, name, tape), tape


def measure(
    layer: MultiHeadAttention, n: int, *, m: int | None = None, batch: int | None = None, causal: bool = False
) -> Trace:
    """Runs the layer on n tokens, or on n queries and m keys (cross-attention), and says what that used.

    `batch` None: no batch axis. The run is dry if the layer is.
    """
    traced, blank, tape = _on_tape(layer)
    in_front = () if batch is None else (batch,)
    x = blank((*in_front, n, layer.w_q.shape[0]), "x")
    widths = {layer.w_q.shape[0], layer.w_k.shape[0], layer.w_v.shape[0]}
    if m is None and len(widths) == 1:
        output, weights = traced(x, causal=causal)
    else:
        m = n if m is None else m
        keys = blank((*in_front, m, layer.w_k.shape[0]), "context")
        values = blank((*in_front, m, layer.w_v.shape[0]), "value_context")
        output, weights = traced(x, keys, values, causal=causal)
    return _trace(layer, tape, output, weights, causal)


def measure_decoding(layer: MultiHeadAttention, n: int, *, batch: int | None = None) -> Trace:
    """One decoding step: one new token, and n keys in the cache, the token's own included (n ≥ 1)."""
    traced, blank, tape = _on_tape(layer)
    in_front = () if batch is None else (batch,)
    token = blank((*in_front, 1, layer.w_q.shape[0]), "x")
    earlier_k = blank((*in_front, layer.n_kv_heads, n - 1, layer.d_k), "k")
    earlier_v = blank((*in_front, layer.n_kv_heads, n - 1, layer.d_v), "v")
    own_k, own_v = traced.keys_and_values(token)
    k = np.concatenate((earlier_k, own_k), axis=-2)
    v = np.concatenate((earlier_v, own_v), axis=-2)
    output, weights = traced.attend(token, k, v)
    return _trace(layer, tape, output, weights, causal=False)


def _trace(layer: MultiHeadAttention, tape: Tape, output: Array, weights: Array, causal: bool) -> Trace:
    return Trace(
        steps=tuple(tape.steps),
        tensors=layer.parameters,
        output=output,
        weights=weights,
        dry=isinstance(output, DryArray),
        causal=causal,
        counted_scores=tape.finite_scores,
    )


def measure_training(layer: MultiHeadAttention, tokens: int) -> Training:
    """Forward and backward through the four projections of a layer for some tokens (self-attention)."""
    traced, blank, tape = _on_tape(layer)
    projections = [
        (traced.w_q, traced.b_q),
        (traced.w_k, traced.b_k),
        (traced.w_v, traced.b_v),
        (traced.w_o, traced.b_o),
    ]
    inputs = [blank((tokens, w.shape[0]), "x") for w, _ in projections]
    outputs = [project(x, w, b) for x, (w, b) in zip(inputs, projections, strict=True)]
    forward = sum(step.multiply_adds for step in tape.steps)
    for x, (w, _), y in zip(inputs, projections, outputs, strict=True):
        project_backward(x, w, blank(y.shape, "gradient"))
    both = sum(step.multiply_adds for step in tape.steps)
    return Training(steps=tuple(tape.steps), forward=forward, backward=both - forward)


def project_backward(x: Array, w: Array, dy: Array) -> tuple[Array, Array]:
    """The gradients of y = x·W by x and by W, given dy of y: dx = dy·Wᵀ and dW = xᵀ·dy, for x [n, d_in]."""
    dx: Array = dy @ w.swapaxes(0, 1)  # [n, d_in]
    dw: Array = x.swapaxes(0, 1) @ dy  # [d_in, d_out]
    return dx, dw


class Measured(Protocol):
    @property
    def steps(self) -> tuple[Step, ...]: ...


M = TypeVar("M", bound=Measured)


def real_if_small(
    run: Callable[[MultiHeadAttention], M],
    d_model: int,
    n_heads: int,
    *,
    dtype: npt.DTypeLike = np.float32,
    **options: Unpack[LayerOptions],
) -> M:
    """`run` on a layer of these sizes: for real if that is quick enough, else dry.

    Real up to REAL_NUMBERS and REAL_MULTIPLY_ADDS; float16 is always dry, since NumPy multiplies it slowly.
    """
    dry = run(_blank_layer(DryArray, d_model, n_heads, dtype, options))
    largest = max(math.prod(shape) for step in dry.steps for shape in (*step.inputs, step.shape))
    work = sum(step.multiply_adds for step in dry.steps)
    if largest > REAL_NUMBERS or work > REAL_MULTIPLY_ADDS or np.dtype(dtype).itemsize < 4:
        return dry
    return run(_blank_layer(TracedArray, d_model, n_heads, dtype, options))


def measure_sizes(
    d_model: int,
    n_heads: int,
    n: int,
    *,
    m: int | None = None,
    batch: int | None = None,
    causal: bool = False,
    dtype: npt.DTypeLike = np.float32,
    **options: Unpack[LayerOptions],
) -> Trace:
    """`measure` of a layer of these sizes, for real if that is quick enough, else dry."""
    return real_if_small(
        lambda layer: measure(layer, n, m=m, batch=batch, causal=causal), d_model, n_heads, dtype=dtype, **options
    )

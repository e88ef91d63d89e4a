"""What one run of the attention core used: shapes, parameters, multiply-adds, bytes.

The core itself is run, on arrays that write down what is done to them; it knows nothing of this. A layer too large to
compute is run dry: the same core on arrays that have a shape and a type but no numbers, so that only shapes are worked
out.

FLOPs are 2 · multiply-adds of the matrix products; softmax, scaling, masks and biases are not counted.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypedDict, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from mha_quiz.attention import Array, MultiHeadAttention, Shape, parameter_shapes, project
from mha_quiz.traced_arrays import DryArray, Step, Tape, TracedArray

REAL_NUMBERS = 2**24
REAL_MULTIPLY_ADDS = 2 * 10**8
"""A run is computed for real up to these sizes: no larger array, no more work (about a tenth of a second)."""

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
    "q projected": ("q", "reshape", 0, None),  # [..., n, h·d_k]
    "q split": ("q", "swapaxes", 0, None),  # [..., h, n, d_k]
    "k projected": ("k", "reshape", 0, None),  # [..., m, g·d_k]
    "k split": ("k", "swapaxes", 0, None),  # [..., g, m, d_k]
    "k cache": ("k", "swapaxes", -1, 0),  # [..., g, m, d_k], all keys the queries meet
    "k transposed": ("k", "swapaxes", -1, None),  # [..., g, d_k, m]
    "v projected": ("v", "reshape", 0, None),  # [..., m, g·d_v]
    "v split": ("v", "swapaxes", 0, None),  # [..., g, m, d_v]
    "v cache": ("heads", "matmul", 0, 1),  # [..., g, m, d_v]
    "scores": ("scores", "maximum.reduce", 0, 0),  # [..., h, n, m]
    "row sums": ("scores", "add.reduce", 0, None),  # [..., h, n, 1], the denominators of softmax
    "weights": ("scores", "divide", -1, None),  # [..., h, n, m]
    "head output": ("heads", "swapaxes", 0, 0),  # [..., h, n, d_v]
    "joined": ("heads", "reshape", -2, None),  # [..., n, h·d_v]
    "output": ("output", "reshape", 0, None),  # [..., n, d_out]
}


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
        keys_seen = np.minimum(np.arange(1, n + 1, dtype=np.int64), m)  # query i sees the keys 0 to i
        return math.prod(maps) * int(keys_seen.sum())

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

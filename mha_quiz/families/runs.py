"""Runs of the attention core that measure what the formulas of the families claim.

NumPy and the core are imported by the first run, so that listing the families stays quick.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import log, log2, prod
from typing import TYPE_CHECKING, TypedDict, Unpack

if TYPE_CHECKING:
    from mha_quiz.attention import Array, MultiHeadAttention
    from mha_quiz.trace import Trace

QUICK_NUMBERS = 2**17
QUICK_MULTIPLY_ADDS = 2**24
"""A learner waits for the run: with more numbers in a matrix or map, or more work, it is a dry one."""


class Sizes(TypedDict, total=False):
    """What a layer may have besides d_model and heads, by its letter."""

    g: int
    k: int
    v: int
    e: int
    """Width of the input that keys are made of."""
    f: int
    """Width of the input that values are made of."""
    bias: bool


def dry(d: int, h: int, itemsize: int = 4, **sizes: Unpack[Sizes]) -> MultiHeadAttention:
    """A layer whose tensors have shapes and no numbers."""
    from mha_quiz.trace import dry_layer

    return dry_layer(
        d,
        h,
        dtype=f"f{itemsize}",
        n_kv_heads=sizes.get("g"),
        d_k=sizes.get("k"),
        d_v=sizes.get("v"),
        k_width=sizes.get("e"),
        v_width=sizes.get("f"),
        bias=sizes.get("bias", False),
    )


def parameters(d: int, h: int, **sizes: Unpack[Sizes]) -> int:
    """Numbers in all tensors of a layer."""
    return sum(tensor.size for tensor in dry(d, h, **sizes).parameters.values())


def run(
    *,
    d: int,
    h: int,
    B: int | None = None,
    n: int,
    m: int | None = None,
    causal: bool = False,
    itemsize: int = 4,
    **sizes: Unpack[Sizes],
) -> Trace:
    """One run of a layer on n tokens, or on n queries and m keys, with `itemsize` bytes a number."""
    from mha_quiz.trace import measure, measure_sizes

    rows, columns = (B or 1) * n, m or n
    wide = max(d, h * sizes.get("k", 0), h * sizes.get("v", 0))
    if max(d * wide, rows * h * columns) > QUICK_NUMBERS or rows * wide * (4 * d + 2 * columns) > QUICK_MULTIPLY_ADDS:
        return measure(dry(d, h, itemsize, **sizes), n, m=m, batch=B, causal=causal)
    return measure_sizes(
        d,
        h,
        n,
        m=m,
        batch=B,
        causal=causal,
        dtype=f"f{itemsize}",
        n_kv_heads=sizes.get("g"),
        d_k=sizes.get("k"),
        d_v=sizes.get("v"),
        k_width=sizes.get("e"),
        v_width=sizes.get("f"),
        bias=sizes.get("bias", False),
    )


def one_head_parameters(d: int, h: int) -> int:
    """Numbers in the columns of W_Q, W_K and W_V that head 0 owns."""
    layer = dry(d, h)
    return sum(w[:, : w.shape[1] // h].size for w in (layer.w_q, layer.w_k, layer.w_v))


def attention_products(d: int, h: int, n: int) -> int:
    """Multiply-adds of q·kᵀ and weights·v for one sequence."""
    products = run(d=d, h=h, n=n).products
    return products["scores"] + products["heads"]


def projection_products(d: int, h: int, n: int) -> int:
    """Multiply-adds of the four projections for one sequence."""
    products = run(d=d, h=h, n=n).products
    return sum(products[name] for name in ("q", "k", "v", "output"))


def first_length_where_attention_costs_as_much(d: int, h: int) -> int:
    """Fewest tokens whose q·kᵀ and weights·v take as many multiply-adds as their projections.

    The search begins where a run of a single token lets expect it.
    """
    from mha_quiz.trace import measure

    layer = dry(d, h)

    def costs(n: int) -> tuple[int, int]:
        products = measure(layer, n).products
        return products["scores"] + products["heads"], sum(products[name] for name in ("q", "k", "v", "output"))

    def as_much(n: int) -> bool:
        attention, projections = costs(n)
        return attention >= projections

    attention, projections = costs(1)
    n = max(projections // attention, 1)
    while not as_much(n):
        n += 1
    while n > 1 and as_much(n - 1):
        n -= 1
    return n


def products_a_score(d: int, h: int) -> int:
    """Multiply-adds of q·kᵀ, shared out among its scores."""
    trace = run(d=d, h=h, n=3)
    return trace.products["scores"] // prod(trace.shape("scores"))


def causal_attention_flops(d: int, h: int, n: int) -> int:
    """FLOPs of q·kᵀ and weights·v for the pairs a causal mask leaves, each at the cost one pair has in the run."""
    trace = run(d=d, h=h, n=n, causal=True)
    products = trace.products["scores"] + trace.products["heads"]
    return 2 * products // prod(trace.shape("scores")) * trace.finite_scores


def decoding_step_flops(d: int, h: int, n: int) -> int:
    """FLOPs of one new token that meets n keys, its own included."""
    from mha_quiz.trace import measure_decoding

    return measure_decoding(dry(d, h), n).flops


def training_flops(d: int, h: int, tokens: int) -> int:
    """FLOPs of the projections' matrix products, forward and backward."""
    from mha_quiz.trace import measure_training

    training = measure_training(dry(d, h), tokens)
    return 2 * (training.forward + training.backward)


def mlp_parameters(d: int, f: int, w: int) -> int:
    """Numbers in an MLP with w − 1 matrices from d to f and one back."""
    return sum(map(prod, [(d, f)] * (w - 1) + [(f, d)]))


def norm_parameters(normalised: tuple[int, ...]) -> int:
    """Numbers in a scale and a shift for the last axis of an array of this shape."""
    return sum(normalised[-1] for _ in ("scale", "shift"))


def cache_nbytes(d: int, h: int, *, g: int, B: int = 1, n: int, itemsize: int = 4) -> int:
    """Bytes of the k and v that one layer makes of B sequences of n tokens, before query heads share them."""
    from mha_quiz.traced_arrays import DryArray, Tape

    layer = dry(d, h, itemsize, g=g)
    x = DryArray.blank((B, n, d), layer.w_k.dtype, "x", Tape())
    return sum(kept.nbytes for kept in layer.keys_and_values(x))


def latent_numbers(c: int, r: int) -> int:
    """Numbers of one token's latent and rotary part, joined as they are cached."""
    import numpy as np

    return int(np.concatenate((np.zeros(c), np.zeros(r))).size)


def gibibytes_of(b: int) -> float:
    """b bytes by whole division and remainder."""
    whole, rest = divmod(b, 1 << 30)
    return whole + rest / (1 << 30)


def most_sequences(M: int, L: int, h: int, g: int, n: int, k: int, *, itemsize: int) -> int:
    """Most sequences whose k and v of L layers take at most M bytes; found by doubling and bisection."""

    def too_much(B: int) -> bool:
        return L * cache_nbytes(h * k, h, g=g, B=B, n=n, itemsize=itemsize) > M

    most = 1
    while not too_much(most):
        most *= 2
    return bisect_left(range(1, most), True, key=too_much)


def row_statistics_bytes(B: int, h: int, n: int, *, itemsize: int) -> int:
    """Bytes of one float32 for each row that the softmax of a run sums up."""
    return 4 * prod(run(d=16 * h, h=h, B=B, n=n, itemsize=itemsize).shape("row sums"))


def split_element(n: int, d: int, h: int, *, head: int, token: int) -> int:
    """First number of a head's token after the core split 0, 1, 2, … of shape (1, n, d) into h heads."""
    import numpy as np

    from mha_quiz.attention import split_heads

    return int(split_heads(np.arange(n * d).reshape(1, n, d), h)[0, head, token, 0])


def softmax_weights(*scores: float) -> list[float]:
    from mha_quiz.attention import softmax

    return [float(weight) for weight in softmax(scores)]


def scaled_weights(*products: float, d_k: int) -> list[float]:
    """Weights of one query of width d_k whose dot products with the keys are these."""
    import numpy as np

    from mha_quiz.attention import scaled_dot_product_attention

    q = np.ones((1, d_k))
    keys = np.repeat(np.array(products)[:, None] / d_k, d_k, axis=1)  # [m, d_k], the product spread over the width
    _, weights = scaled_dot_product_attention(q, keys, np.ones((len(products), 1)))
    return [float(weight) for weight in weights[0]]


def causal_weights(n: int) -> list[list[float]]:
    """All rows of a causal map of n tokens with equal scores."""
    import numpy as np

    from mha_quiz.attention import scaled_dot_product_attention

    _, weights = scaled_dot_product_attention(np.zeros((n, 1)), np.zeros((n, 1)), np.ones((n, 1)), causal=True)
    return [[float(weight) for weight in row] for row in weights]


def attended(weights: Sequence[float], values: Sequence[float]) -> float:
    """Output of a query whose keys get these weights: their logarithms are scores that softmax turns back."""
    import numpy as np

    from mha_quiz.attention import scaled_dot_product_attention

    keys = np.array([[log(weight)] for weight in weights])
    output, _ = scaled_dot_product_attention(np.ones((1, 1)), keys, np.array([[value] for value in values]))
    return float(output[0, 0])


def entropy_of_scores(*scores: float) -> float:
    """Entropy, in bits, of the weights that softmax makes of these scores."""
    return -sum(weight * log2(weight) for weight in softmax_weights(*scores))


def masked_weights(scores: Sequence[float], allowed: Sequence[bool]) -> list[float]:
    """Weights of one query of width 1 that may attend to some of its keys only."""
    import numpy as np

    from mha_quiz.attention import scaled_dot_product_attention

    keys = np.array([[score] for score in scores])
    _, weights = scaled_dot_product_attention(np.ones((1, 1)), keys, np.ones_like(keys), mask=[list(allowed)])
    return [float(weight) for weight in weights[0]]


def overflowing(scores: Sequence[int], bits: int) -> int:
    """How many exponentials are infinite in the float type of so many bits."""
    import numpy as np

    with np.errstate(over="ignore"):
        return int(np.isinf(np.exp(np.array(scores, dtype=f"f{bits // 8}"))).sum())


def variance_of_scores(k: int) -> float:
    """Variance of 60,000 unscaled scores; the numbers in queries and keys are random signs."""
    import numpy as np

    from mha_quiz.attention import project

    rng = np.random.default_rng(k)
    q, keys = (2.0 * rng.integers(0, 2, (count, k)) - 1 for count in (250, 240))
    return float(project(q, keys.T).var())


def scale_of_scores(d: int, h: int) -> float:
    """How far the core brings down a dot product of 1 in a head of this layer: by the logarithm of two weights."""
    first, second = scaled_weights(1, 0, d_k=dry(d, h).d_k)
    return log(first / second)


def sum_of_weights(B: int, n: int, h: int) -> float:
    """Of random queries and keys."""
    import numpy as np

    from mha_quiz.attention import scaled_dot_product_attention

    q, k, v = np.random.default_rng(n).standard_normal((3, B, h, n, 2))
    _, weights = scaled_dot_product_attention(q, k, v)
    return float(weights.sum())


def dropped_sum(weights: Sequence[float], keep: Sequence[int], rate: float) -> float:
    """Sum of a row after inverted dropout."""
    import numpy as np

    return float(np.where(np.array(keep, dtype=bool), np.array(weights) / (1 - rate), 0).sum())


def row_that_moved(order: Sequence[int], row: int) -> int:
    """Old output row that equals a new one, after the tokens of a random layer were put into this order."""
    import numpy as np

    from mha_quiz.attention import MultiHeadAttention

    rng = np.random.default_rng(row)
    layer = MultiHeadAttention.initialise(rng, 8, 2)
    x = rng.standard_normal((len(order), 8))
    old, _ = layer(x)
    new, _ = layer(x[list(order)])
    (match,) = np.flatnonzero(np.isclose(old, new[row]).all(axis=-1))
    return int(match)


def joined_output(heads: Sequence[float], rows: Sequence[float]) -> int:
    """Output of heads with one number each, and a W_O of one column."""
    import numpy as np

    from mha_quiz.attention import join_heads, project

    joined = join_heads(np.array(heads, dtype=float).reshape(-1, 1, 1))
    return int(project(joined, np.array(rows, dtype=float)[:, None])[0, 0])


def mean_weight(*gaps: float) -> float:
    """Weight of the first of two keys, averaged over heads with these score gaps."""
    import numpy as np

    from mha_quiz.attention import scaled_dot_product_attention

    keys = np.array([[[gap], [0.0]] for gap in gaps])  # [h, 2, 1]
    _, weights = scaled_dot_product_attention(np.ones((len(gaps), 1, 1)), keys, np.ones_like(keys))
    return float(weights.mean(axis=0)[0, 0])


def averaged(weights: Array) -> tuple[int, ...]:
    """Shape of weights [..., h, n, m] after their mean over the heads."""
    return tuple(weights.mean(axis=-3).shape)


def one_axis_for_batch_and_heads(weights: Array) -> tuple[int, ...]:
    return tuple(weights.reshape(-1, *weights.shape[-2:]).shape)


def packed_rows(d: int, h: int) -> int:
    """Columns of W_Q, W_K and W_V side by side; PyTorch stores them transposed, as rows."""
    import numpy as np

    layer = dry(d, h)
    return int(np.concatenate((layer.w_q, layer.w_k, layer.w_v), axis=1).shape[1])


def keys_with_weight(row: Sequence[bool]) -> int:
    """Keys that get weight under a mask row where True = may attend."""
    return sum(weight > 0 for weight in masked_weights([0.0] * len(row), row))


def keys_seen(n: int, m: int, i: int) -> int:
    """Keys that get weight from query i (from 1) of n under a causal mask over m keys."""
    import numpy as np

    from mha_quiz.attention import scaled_dot_product_attention

    _, weights = scaled_dot_product_attention(np.zeros((n, 1)), np.zeros((m, 1)), np.zeros((m, 1)), causal=True)
    return int(np.count_nonzero(weights[i - 1]))

"""The same attention for long sequences: the output alone, and no n × m array on the way.

A softmax can be built up from pieces of a row ("online softmax", arXiv 1805.02867; for attention arXiv 2205.14135).
For each query one remembers the largest score so far and, relative to it, the sum of exponentials and the weighted sum
of values:

    top  = max_j s_j        total = Σ_j e^(s_j − top)        mixed = Σ_j e^(s_j − top)·v_j        output = mixed / total

When a further block of keys brings a larger score, what was summed up is multiplied by e^(old top − new top). The only
large array is one tile of scores, of fixed size, so memory grows with n + m and not with n·m.

Shapes are named as in `mha_quiz.attention`, whose plain text is the reference for this one.
"""

import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from mha_quiz.attention import Array, MultiHeadAttention, join_heads, project, split_heads

QUERIES, KEYS = 256, 1024
"""A tile of scores: in float32 it takes 1 MiB and stays in the cache of one core."""

LONG = 128 * 128
"""From this many scores of a head on, tiles are quicker than one array."""


def layer_output(
    layer: MultiHeadAttention,
    x: npt.ArrayLike,
    context: npt.ArrayLike | None = None,
    value_context: npt.ArrayLike | None = None,
    *,
    causal: bool = False,
    threads: int = 1,
) -> Array:
    """The output [..., n, d_out] that `layer` gives for the same arguments, without its weights.

    Few scores are computed by the layer itself, many in tiles. With more `threads`, each takes one head at a time,
    and NumPy's own are held at one meanwhile (needs threadpoolctl).
    """
    context = x if context is None else context
    n, m = np.shape(x)[-2:-1], np.shape(context)[-2:-1]
    if math.prod(n + m) <= LONG:
        return layer(x, context, value_context, causal=causal)[0]
    q = split_heads(project(x, layer.w_q, layer.b_q), layer.n_heads)  # [..., h, n, d_k]
    k, v = layer.keys_and_values(context, value_context)  # [..., g, m, d_k] and [..., g, m, d_v]
    if q.shape[:-3] != k.shape[:-3] or k.shape[:-1] != v.shape[:-1]:
        raise ValueError(f"queries, keys and values do not fit together: q {q.shape}, k {k.shape}, v {v.shape}")
    heads = np.empty((*q.shape[:-1], layer.d_v), np.result_type(q, k, v))  # [..., h, n, d_v]
    shared = layer.n_heads // layer.n_kv_heads

    def one_head(head: tuple[int, ...]) -> None:
        kv_head = (*head[:-1], head[-1] // shared)
        heads[head] = attention_in_tiles(q[head], k[kv_head], v[kv_head], causal=causal)

    _for_each(one_head, np.ndindex(q.shape[:-2]), threads)
    return project(join_heads(heads), layer.w_o, layer.b_o)  # [..., n, d_out]


def attention_in_tiles(q: Array, k: Array, v: Array, *, causal: bool = False) -> Array:
    """The output [n, d_v] of one head: q [n, d_k], k [m, d_k], v [m, d_v], m ≥ 1, floating point."""
    n, d_k = q.shape
    q, k, v = (array.astype(np.result_type(q, k, v), copy=False) for array in (q, k, v))
    output = np.empty((n, v.shape[1]), q.dtype)
    q = q * (math.log2(math.e) / math.sqrt(d_k))  # then 2^(q·k) is the e^(q·k/√d_k) of the formula, and quicker
    keys = np.ascontiguousarray(k.T)  # [d_k, m]
    v = np.ascontiguousarray(v)
    tile = np.empty((QUERIES, KEYS), q.dtype)
    for first in range(0, n, QUERIES):
        rows = slice(first, min(first + QUERIES, n))
        output[rows] = _rows_in_tiles(q[rows], keys, v, first if causal else None, tile)
    return output


def _rows_in_tiles(q: Array, keys: Array, v: Array, first: int | None, tile: Array) -> Array:
    """The output of some queries, already scaled. `first`: the place of the first one, under a causal mask."""
    n, m = len(q), len(v)
    seen = m if first is None else min(m, first + n)  # later keys are blocked for all these queries
    top = np.full((n, 1), -np.inf, q.dtype)
    total = np.zeros((n, 1), q.dtype)
    ones = np.ones((KEYS, 1), q.dtype)
    mixed = np.zeros((n, v.shape[1]), q.dtype)
    for start in range(0, seen, KEYS):
        end = min(start + KEYS, seen)
        scores = np.matmul(q, keys[:, start:end], out=tile[:n, : end - start])  # [n, end − start]
        if first is not None and end > first + 1:
            scores[~np.tri(n, end - start, first - start, dtype=np.bool_)] = -np.inf
        new_top = np.maximum(top, scores.max(axis=1, keepdims=True))
        scores -= new_top
        np.exp2(scores, out=scores)
        shrink = np.exp2(top - new_top)
        total *= shrink
        total += scores @ ones[: end - start]  # the sum of each row; NumPy's own sum is slower
        mixed *= shrink
        mixed += scores @ v[start:end]
        top = new_top
    return mixed / total


def _for_each(task: Callable[[tuple[int, ...]], None], heads: Iterable[tuple[int, ...]], threads: int) -> None:
    if threads == 1:
        for head in heads:
            task(head)
        return
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # untyped; imported only here: nothing else of the package needs it

    # A product inside a thread that itself used several would make them wait for each other.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(task, heads):
            pass

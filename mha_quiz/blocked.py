"""The same attention for long sequences: the output alone, and no n × m array on the way.

A softmax can be built up from pieces of a row ("online softmax", arXiv 1805.02867; for attention arXiv 2205.14135).
For each query one remembers, relative to some level, the sum of exponentials and the weighted sum of values:

    total = Σ_j e^(s_j − level)        mixed = Σ_j e^(s_j − level)·v_j        output = mixed / total

Any level cancels; it has only to keep the sums within range. Here it is the score of key 0, so that total is at least
1. When a block of keys brings a score far above it, the level rises to that score, and what was summed up is multiplied
by e^(old level − new level).

Two columns more let the products do the rest: q gets −level and each key a 1, so q·k is already less the level; each
value gets a 1, so mixed and total are one product. The only large array is one tile of scores, of fixed size, so
memory grows with n + m and not with n·m.

Shapes are named as in `mha_quiz.attention`, whose plain text is the reference for this one.
"""

import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from mha_quiz.attention import Array, MultiHeadAttention, join_heads, project, split_heads

QUERIES, KEYS = 120, 1024
"""A tile of scores: in float32 it takes 480 KiB and stays in the cache of one core."""

BLOCK = 128
"""Keys of a tile that are multiplied at a time. With 120 queries 64 wide, that is just small enough for OpenBLAS to
multiply them where they are (AVX-512), without a copy in its own order, which makes a seventh of the whole time."""

HIGH = 64
"""How far a score may lie above the level, as an exponent of 2: sums of 2^64 are far from the limit of float32, 2^128."""

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
    """The output [n, d_v] of one head: q [n, d_k], k [m, d_k], v [m, d_v], m ≥ 1, floating point.

    float16 is computed in float32. Where the score of key 0 is not finite, the output is nan.
    """
    n, d_k = q.shape
    output = np.empty((n, v.shape[1]), np.result_type(q, k, v))
    precision = np.result_type(output, np.float32)
    queries = np.zeros((n, d_k + 1), precision)
    queries[:, :-1] = q
    queries *= math.log2(math.e) / math.sqrt(d_k)  # then 2^(q·k) is the e^(q·k/√d_k) of the formula, and quicker
    keys = np.ascontiguousarray(_in_blocks(k, precision).swapaxes(-1, -2))  # [blocks, d_k + 1, BLOCK]
    values = _in_blocks(v, precision)  # [blocks, BLOCK, d_v + 1]
    queries[:, -1:] = -(queries @ keys[0, :, :1])
    tile = np.empty((KEYS // BLOCK, QUERIES, BLOCK), precision)
    for first in range(0, n, QUERIES):
        rows = slice(first, min(first + QUERIES, n))
        sums = _rows_in_tiles(queries[rows], keys, values, first if causal else None, tile)
        np.divide(sums[:, :-1], sums[:, -1:], out=output[rows], casting="same_kind")
    return output


def _in_blocks(x: Array, precision: np.dtype[Any]) -> Array:
    """[m, d] → [blocks, BLOCK, d + 1]: each row gets a 1; rows of zeros, as values without weight, fill the last block."""
    m, d = x.shape
    rows = np.zeros((-(-m // BLOCK) * BLOCK, d + 1), precision)
    rows[:m, :-1] = x
    rows[:m, -1] = 1
    return rows.reshape(-1, BLOCK, d + 1)


def _rows_in_tiles(q: Array, keys: Array, values: Array, first: int | None, tile: Array) -> Array:
    """Σ_j 2^(s_j − level)·(v_j, 1) of some queries. `first`: the place of the first one, under a causal mask."""
    n = len(q)
    seen = len(keys) if first is None else min(len(keys), -(-(first + n) // BLOCK))  # later blocks are not looked at
    sums = np.zeros((n, values.shape[-1]), q.dtype)
    for start in range(0, seen, len(tile)):
        blocks = slice(start, min(start + len(tile), seen))
        scores = np.matmul(q, keys[blocks], out=tile[: blocks.stop - start, :n])  # [blocks, n, BLOCK], less the level
        if first is not None and blocks.stop * BLOCK > first + 1:
            places = np.arange(start * BLOCK, blocks.stop * BLOCK).reshape(-1, 1, BLOCK)
            scores[places > np.arange(first, first + n)[:, None]] = -np.inf
        if not scores.max() <= HIGH:  # or one is nan, which must not keep the other rows from rising
            rise = scores.max(axis=(0, 2), initial=0)[:, None]
            scores -= rise
            q[:, -1:] -= rise
            sums *= np.exp2(-rise)
        sums += (np.exp2(scores, out=scores) @ values[blocks]).sum(axis=0)
    return sums


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

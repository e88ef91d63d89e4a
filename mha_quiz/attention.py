"""Multi-head attention in NumPy: "Attention Is All You Need" (arXiv 1706.03762), section 3.2, in its own letters.

    Attention(Q, K, V) = softmax(Q·Kᵀ / √d_k)·V
    MultiHead(Q, K, V) = Concat(head_1, …, head_h)·W_O,  head_i = Attention(Q·W_Q_i, K·W_K_i, V·W_V_i)

Glossary of shapes:

    n        queries: the tokens that look
    m        keys and values: the tokens that are looked at (m = n in self-attention)
    d_model  width of a token
    h        heads
    g        key/value heads; g = h unless query heads share them (grouped-query attention, arXiv 2305.13245)
    d_k      width of one head's queries and keys (d_model / h if nothing else is said)
    d_v      width of one head's values (d_k if nothing else is said)
    ...      any number of axes in front, such as the batch

Masks are boolean, True = may attend. Arrays keep their precision: float32 gives float32, float64 gives float64, a
mixture gives the wider one. Whole numbers are computed in float64. Anything that has a shape NumPy can read, such as
a list of lists, is accepted. Not here: dropout, position encodings (rotary, ALiBi), training.
"""

import math
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Shape: TypeAlias = tuple[int, ...]


def softmax(scores: npt.ArrayLike, axis: int = -1) -> Array:
    """exp(s_i) / Σ_j exp(s_j) along `axis`; the result has the shape of `scores` and sums to 1 along `axis`.

    The largest score is subtracted first. That changes nothing, since e^−max cancels, and keeps exp from overflowing.
    A score of −inf gets the weight 0. Where all scores are −inf, or one is +inf or nan, there is no softmax: the
    result is nan there, and NumPy warns of the infinite ones. ValueError if `axis` is empty.
    """
    scores = _floating(scores)
    weights: Array = scores - scores.max(axis=axis, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=axis, keepdims=True)
    return weights


def scaled_dot_product_attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    causal: bool = False,
    grouped: bool = False,
) -> tuple[Array, Array]:
    """softmax(q·kᵀ / √d_k)·v, the formula (1) of the paper.

    q [..., n, d_k], k [..., m, d_k], v [..., m, d_v]; the axes in front are broadcast.
    Returns the output [..., n, d_v] and the weights [..., n, m].

    `mask`: boolean, broadcast to [..., n, m], True = may attend.
    `causal`: query i sees the keys 0 to i. The triangle begins at the top left corner, also when n ≠ m, as PyTorch's
    `is_causal` does. Together with a mask, a pair must be allowed by both.
    `grouped`: q is [..., h, n, d_k], k and v are [..., g, m, ·]. Query head i reads key/value head ⌊i / (h/g)⌋; the
    g heads are never copied h/g times.

    ValueError if shapes do not fit, if the mask is not boolean, or if a query may attend to no key (its weights would
    be 0/0). A nan, or an overflow to inf, in an allowed score makes its whole row nan; a blocked score has no
    influence, whatever it is. A nan or inf in v spreads even with weight 0, since 0·nan is nan.
    """
    q, k, v = _floating(q), _floating(k), _floating(v)
    _check_queries_keys_values(q, k, v, grouped)
    product = _grouped_product if grouped else np.matmul

    scores = product(q, k.swapaxes(-1, -2))  # [..., n, m]
    scores *= 1 / math.sqrt(q.shape[-1])
    allowed = _allowed(mask, causal, scores)
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    weights = softmax(scores)  # [..., n, m]
    output = product(weights, v)  # [..., n, d_v]
    return output, weights


def _grouped_product(left: Array, right: Array) -> Array:
    """[..., h, n, a] times [..., g, a, m] → [..., h, n, m]: each right matrix serves h/g neighbouring left ones."""
    *in_front, h, n, a = left.shape
    g, _, m = right.shape[-3:]
    rows = left.reshape(*in_front, g, h // g * n, a)  # those that share a right matrix, one below the other
    return (rows @ right).reshape(*in_front, h, n, m)


def split_heads(x: npt.ArrayLike, n_heads: int) -> Array:
    """Gives every head its block of neighbouring columns: [..., n, h·d_k] → [..., h, n, d_k].

    First the columns are cut into blocks, then the head axis moves in front of the tokens. A reshape straight to
    [..., h, n, d_k] has the right shape and mixes up the tokens. ValueError if h does not divide the columns.
    """
    x = np.asanyarray(x)
    if x.ndim < 2 or n_heads < 1 or x.shape[-1] % n_heads:
        raise ValueError(f"cannot split {x.shape} into {n_heads} heads of equal width")
    *in_front, n, width = x.shape
    x = x.reshape(*in_front, n, n_heads, width // n_heads)  # [..., n, h, d_k]
    return x.swapaxes(-2, -3)  # [..., h, n, d_k]


def join_heads(heads: npt.ArrayLike) -> Array:
    """Puts the heads side by side, the Concat of the paper: [..., h, n, d_v] → [..., n, h·d_v]."""
    heads = np.asanyarray(heads)
    if heads.ndim < 3:
        raise ValueError(f"heads are [..., h, n, d_v], got {heads.shape}")
    *in_front, n_heads, n, d_v = heads.shape
    heads = heads.swapaxes(-2, -3)  # [..., n, h, d_v]
    return heads.reshape(*in_front, n, n_heads * d_v)  # [..., n, h·d_v]


def project(x: npt.ArrayLike, w: npt.ArrayLike, b: npt.ArrayLike | None = None) -> Array:
    """x·W + b: x [..., n, d_in], W [d_in, d_out], b [d_out] → [..., n, d_out]."""
    x, w = _floating(x), _floating(w)
    if x.ndim < 2 or w.ndim != 2 or x.shape[-1] != w.shape[0]:
        raise ValueError(f"the input {x.shape} does not fit the matrix {w.shape}: [..., n, d_in] times [d_in, d_out]")
    if b is not None and np.shape(b) != w.shape[1:]:
        raise ValueError(f"the bias {np.shape(b)} does not fit the matrix {w.shape}")
    *in_front, d_in = x.shape
    rows = x.reshape(math.prod(in_front), d_in)  # all tokens of all sequences: one product instead of many
    y = rows @ w  # [tokens, d_out]
    if b is not None:
        y = y + _floating(b)
    return y.reshape(*in_front, w.shape[1])  # [..., n, d_out]


@dataclass(frozen=True, slots=True, eq=False)
class MultiHeadAttention:
    """The weights of one attention layer. Call it with tokens.

    w_q [d_model, h·d_k], w_k [k_width, g·d_k], w_v [v_width, g·d_v], w_o [h·d_v, d_out], and biases as wide as the
    columns of their matrix. Head i owns the i-th block of neighbouring columns of W_Q and of rows of W_O, as in
    PyTorch. ValueError, with the shapes, if they do not fit together.
    """

    w_q: Array
    w_k: Array
    w_v: Array
    w_o: Array
    n_heads: int
    n_kv_heads: int
    b_q: Array | None = None
    b_k: Array | None = None
    b_v: Array | None = None
    b_o: Array | None = None

    def __post_init__(self) -> None:
        h, g = self.n_heads, self.n_kv_heads
        if h < 1 or g < 1 or h % g:
            raise ValueError(f"the number of key/value heads must divide the number of heads, got {g} and {h}")
        for name, tensor in self.parameters.items():
            if name.startswith("w") and tensor.ndim != 2:
                raise ValueError(f"{name} must have two axes, got {tensor.shape}")
        for name, heads in ("w_q", h), ("w_k", g), ("w_v", g):
            shape = getattr(self, name).shape
            if shape[1] % heads or not shape[1]:
                raise ValueError(f"the columns of {name} {shape} cannot be shared out among {heads} heads")
        if self.w_q.shape[1] // h != self.w_k.shape[1] // g:
            raise ValueError(
                f"queries and keys must have one width d_k: w_q {self.w_q.shape} with {h} heads, "
                f"w_k {self.w_k.shape} with {g}"
            )
        if self.w_o.shape[0] != h * self.d_v:
            raise ValueError(f"w_o {self.w_o.shape} must have {h}·{self.d_v} rows for w_v {self.w_v.shape}")
        for letter in "qkvo":
            w, b = getattr(self, f"w_{letter}"), getattr(self, f"b_{letter}")
            if b is not None and b.shape != w.shape[1:]:
                raise ValueError(f"b_{letter} {b.shape} does not fit w_{letter} {w.shape}")

    @classmethod
    def initialise(
        cls,
        rng: "np.random.Generator",
        d_model: int,
        n_heads: int,
        *,
        n_kv_heads: int | None = None,
        d_k: int | None = None,
        d_v: int | None = None,
        k_width: int | None = None,
        v_width: int | None = None,
        bias: bool = False,
        dtype: npt.DTypeLike = np.float64,
    ) -> Self:
        """Random matrices in [−√(6/(d_in + d_out)), √(6/(d_in + d_out))] (Glorot and Bengio 2010); biases are 0.

        The sizes are those of `parameter_shapes`.
        """
        shapes = parameter_shapes(
            d_model, n_heads, n_kv_heads=n_kv_heads, d_k=d_k, d_v=d_v, k_width=k_width, v_width=v_width, bias=bias
        )
        tensors = {}
        for name, shape in shapes.items():
            bound = math.sqrt(6 / sum(shape)) if len(shape) == 2 else 0.0
            tensors[name] = rng.uniform(-bound, bound, size=shape).astype(dtype)
        return cls(**tensors, n_heads=n_heads, n_kv_heads=n_heads if n_kv_heads is None else n_kv_heads)

    @property
    def parameters(self) -> dict[str, Array]:
        """The tensors that would be trained, by name; biases only if there are any."""
        names = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")
        return {name: tensor for name in names if (tensor := getattr(self, name)) is not None}

    @property
    def d_k(self) -> int:
        return int(self.w_q.shape[1]) // self.n_heads

    @property
    def d_v(self) -> int:
        return int(self.w_v.shape[1]) // self.n_kv_heads

    def __call__(
        self,
        x: npt.ArrayLike,
        context: npt.ArrayLike | None = None,
        value_context: npt.ArrayLike | None = None,
        *,
        mask: npt.ArrayLike | None = None,
        causal: bool = False,
    ) -> tuple[Array, Array]:
        """Queries from x [..., n, d_model], keys from `context` [..., m, k_width], values from `value_context`.

        Without a context this is self-attention; values come from where the keys come from unless said otherwise.
        Returns the output [..., n, d_out] and the weights of each head [..., h, n, m]. Masks: see `attend`.
        """
        if context is None:
            context = x
        k, v = self.keys_and_values(context, value_context)
        return self.attend(x, k, v, mask=mask, causal=causal)

    def keys_and_values(
        self, context: npt.ArrayLike, value_context: npt.ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """k [..., g, m, d_k] and v [..., g, m, d_v]: what a key/value cache stores for these m tokens."""
        if value_context is None:
            value_context = context
        k = split_heads(project(context, self.w_k, self.b_k), self.n_kv_heads)  # [..., g, m, d_k]
        v = split_heads(project(value_context, self.w_v, self.b_v), self.n_kv_heads)  # [..., g, m, d_v]
        return k, v

    def attend(
        self, x: npt.ArrayLike, k: Array, v: Array, *, mask: npt.ArrayLike | None = None, causal: bool = False
    ) -> tuple[Array, Array]:
        """The queries of x [..., n, d_model] on given keys and values, as `keys_and_values` made them.

        `mask` is [n, m] for all heads and sequences alike, or has every axis of the weights [..., h, n, m] (an axis
        may have length 1). `causal` and the errors are those of `scaled_dot_product_attention`.
        """
        if mask is not None and np.ndim(mask) not in (2, k.ndim):
            # [batch, n, m] would be broadcast as [h, n, m], without a word if the sizes happen to agree.
            raise ValueError(f"a mask is [n, m] or [..., h, n, m], here with {k.ndim} axes; got {np.shape(mask)}")
        q = split_heads(project(x, self.w_q, self.b_q), self.n_heads)  # [..., h, n, d_k]
        heads, weights = scaled_dot_product_attention(
            q, k, v, mask=mask, causal=causal, grouped=self.n_kv_heads < self.n_heads
        )  # [..., h, n, d_v] and [..., h, n, m]
        output = project(join_heads(heads), self.w_o, self.b_o)  # [..., n, d_out]
        return output, weights


def parameter_shapes(
    d_model: int,
    n_heads: int,
    *,
    n_kv_heads: int | None = None,
    d_k: int | None = None,
    d_v: int | None = None,
    k_width: int | None = None,
    v_width: int | None = None,
    bias: bool = False,
) -> dict[str, Shape]:
    """The shapes of a layer's tensors, by name.

    Unless given: as many key/value heads as heads, d_k = d_model / h, d_v = d_k, and keys and values are made from
    inputs of width d_model. ValueError if h does not divide d_model and d_k is not given.
    """
    if d_k is None:
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(f"{n_heads} heads cannot share out d_model = {d_model}")
        d_k = d_model // n_heads
    d_v = d_k if d_v is None else d_v
    g = n_heads if n_kv_heads is None else n_kv_heads
    shapes: dict[str, Shape] = {
        "w_q": (d_model, n_heads * d_k),
        "w_k": (d_model if k_width is None else k_width, g * d_k),
        "w_v": (d_model if v_width is None else v_width, g * d_v),
        "w_o": (n_heads * d_v, d_model),
    }
    if bias:
        shapes |= {f"b_{name[-1]}": shape[1:] for name, shape in shapes.items()}
    return shapes


def _floating(values: npt.ArrayLike) -> Array:
    """Floating point as it is, whole numbers and booleans as float64 (an int8 product could overflow unseen)."""
    array = np.asanyarray(values)
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind in "iub":
        return array.astype(np.float64)
    raise ValueError(f"attention computes with real numbers, got an array of {array.dtype}")


def _check_queries_keys_values(q: Array, k: Array, v: Array, grouped: bool) -> None:
    least = 3 if grouped else 2
    shapes = f"q {q.shape}, k {k.shape}, v {v.shape}"
    if min(q.ndim, k.ndim, v.ndim) < least:
        raise ValueError(f"q, k and v need at least {least} axes, got {shapes}")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"queries and keys must have one width d_k: q {q.shape}, k {k.shape}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"there must be one value for each key: k {k.shape}, v {v.shape}")
    if not q.shape[-1] or not k.shape[-2]:
        raise ValueError(f"there must be a key to attend to, and d_k at least 1: {shapes}")
    if grouped:
        h, g = q.shape[-3], k.shape[-3]
        if q.shape[:-3] != k.shape[:-3] or k.shape[:-2] != v.shape[:-2] or not g or h % g:
            raise ValueError(f"grouped heads need equal axes in front, and g must divide h: {shapes}")
        return
    try:
        np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except ValueError:
        raise ValueError(f"the axes in front do not fit together: {shapes}") from None


def _allowed(mask: npt.ArrayLike | None, causal: bool, scores: Array) -> Array | None:
    """The pairs of query and key that may meet, broadcastable to the scores [..., n, m]; None = all."""
    # like=: the triangle is made by the same kind of array as the scores.
    triangle = np.tri(*scores.shape[-2:], dtype=np.bool_, like=scores) if causal else None  # [n, m]
    if mask is None:
        return triangle  # every query sees at least key 0
    mask = np.asanyarray(mask)
    if mask.dtype != np.bool_:
        raise ValueError(f"a mask is boolean, True = may attend; got {mask.dtype}")
    try:
        fits = np.broadcast_shapes(mask.shape, scores.shape) == scores.shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"the mask {mask.shape} cannot be broadcast to the scores {scores.shape}")
    allowed = mask if triangle is None else mask & triangle
    sees_a_key = np.broadcast_to(allowed.any(axis=-1) if allowed.ndim else allowed, scores.shape[:-1])
    if not sees_a_key.all():
        row = tuple(int(i) for i in np.argwhere(~sees_a_key)[0])
        raise ValueError(f"query {row} of the scores {scores.shape} may attend to no key")
    return allowed

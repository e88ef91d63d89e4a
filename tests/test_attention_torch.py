"""The core against PyTorch: nn.MultiheadAttention and scaled_dot_product_attention, with the same weights."""

from typing import Any

import numpy as np
import pytest

from mha_quiz.attention import Array, MultiHeadAttention, scaled_dot_product_attention

torch = pytest.importorskip("torch")

SEEDS = range(24)
PRECISIONS = [(np.float64, 1e-12), (np.float32, 1e-5)]


def close(ours: Array, theirs: Any, precision: float) -> None:
    expected = theirs.detach().numpy()
    assert ours.dtype == expected.dtype
    np.testing.assert_allclose(ours, expected, rtol=precision, atol=precision * max(1, np.abs(expected).max(initial=0)))


def module_of(layer: MultiHeadAttention) -> Any:
    """PyTorch keeps a matrix as [d_out, d_in], the transpose of ours, and packs W_Q, W_K, W_V if it can."""
    tensors = {name: torch.from_numpy(tensor.T.copy()) for name, tensor in layer.parameters.items()}
    d_model, k_width, v_width = (tensors[f"w_{letter}"].shape[1] for letter in "qkv")
    module = torch.nn.MultiheadAttention(
        d_model,
        layer.n_heads,
        bias="b_q" in tensors,
        kdim=k_width,
        vdim=v_width,
        batch_first=True,
        dtype=tensors["w_q"].dtype,
    )
    state = {"out_proj.weight": tensors["w_o"]}
    if k_width == v_width == d_model:
        state["in_proj_weight"] = torch.cat([tensors[f"w_{letter}"] for letter in "qkv"])
    else:
        state |= {f"{letter}_proj_weight": tensors[f"w_{letter}"] for letter in "qkv"}
    if "b_q" in tensors:
        state["in_proj_bias"] = torch.cat([tensors[f"b_{letter}"] for letter in "qkv"])
        state["out_proj.bias"] = tensors["b_o"]
    module.load_state_dict(state)
    return module.eval()


def layer_of(module: Any) -> MultiHeadAttention:
    state = {name: tensor.numpy() for name, tensor in module.state_dict().items()}
    if module.in_proj_weight is None:
        w_q, w_k, w_v = (state[f"{letter}_proj_weight"].T for letter in "qkv")
    else:
        w_q, w_k, w_v = (part.T for part in np.split(state["in_proj_weight"], 3))
    b_q, b_k, b_v = np.split(state["in_proj_bias"], 3) if "in_proj_bias" in state else (None,) * 3
    return MultiHeadAttention(
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        w_o=state["out_proj.weight"].T,
        b_q=b_q,
        b_k=b_k,
        b_v=b_v,
        b_o=state.get("out_proj.bias"),
        n_heads=module.num_heads,
        n_kv_heads=module.num_heads,
    )


def random_mask(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """True = may attend; each query sees a key, and sees it still under a causal mask."""
    mask = rng.random(shape) < 0.6
    mask[..., 0] = True
    return mask


def compare(rng: np.random.Generator, layer: MultiHeadAttention, module: Any, precision: float) -> None:
    """Self- or cross-attention on random tokens, with no mask, one for all, or one for each sequence and head."""
    batch, n, m = (int(size) for size in rng.integers(1, 6, size=3))
    widths = {layer.w_q.shape[0], layer.w_k.shape[0], layer.w_v.shape[0]}
    dtype = layer.w_q.dtype
    x = rng.normal(size=(batch, n, layer.w_q.shape[0])).astype(dtype)
    keys, values = (rng.normal(size=(batch, m, w.shape[0])).astype(dtype) for w in (layer.w_k, layer.w_v))
    if len(widths) == 1 and rng.random() < 0.5:
        keys = values = x
        m = n
    mask = (None, random_mask(rng, (n, m)), random_mask(rng, (batch, layer.n_heads, n, m)))[rng.integers(3)]
    causal = bool(rng.random() < 0.5)

    allowed = np.ones((n, m), dtype=bool) if mask is None else mask
    allowed = allowed & np.tri(n, m, dtype=bool) if causal else allowed
    blocked = torch.from_numpy(~allowed)  # True = blocked, in the module
    expected_output, expected_weights = module(
        *map(torch.from_numpy, (x, keys, values)),
        attn_mask=blocked if blocked.ndim == 2 else blocked.flatten(0, 1),
        average_attn_weights=False,
    )
    context = () if keys is x else (keys, values)
    output, weights = layer(x, *context, mask=mask, causal=causal)
    close(output, expected_output, precision)
    close(weights, expected_weights, precision)


@pytest.mark.parametrize(("dtype", "precision"), PRECISIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_our_weights_in_the_module(seed: int, dtype: type, precision: float) -> None:
    rng = np.random.default_rng(seed)
    heads = int(rng.integers(1, 5))
    d_model = heads * int(rng.integers(1, 9))
    k_width, v_width = (None if rng.random() < 0.5 else int(rng.integers(1, 20)) for _ in range(2))
    layer = MultiHeadAttention.initialise(
        rng, d_model, heads, k_width=k_width, v_width=v_width, bias=seed % 2 == 0, dtype=dtype
    )
    for bias in (layer.b_q, layer.b_k, layer.b_v, layer.b_o):
        if bias is not None:
            bias[:] = rng.normal(size=bias.shape)
    compare(rng, layer, module_of(layer), precision)


@pytest.mark.parametrize(("dtype", "precision"), PRECISIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_module_s_weights_in_our_layer(seed: int, dtype: type, precision: float) -> None:
    rng = np.random.default_rng(100 + seed)
    torch.manual_seed(seed)
    heads = int(rng.integers(1, 5))
    d_model = heads * int(rng.integers(1, 9))
    kdim, vdim = (None if rng.random() < 0.5 else int(rng.integers(1, 20)) for _ in range(2))
    module = torch.nn.MultiheadAttention(
        d_model,
        heads,
        bias=seed % 2 == 0,
        kdim=kdim,
        vdim=vdim,
        batch_first=True,
        dtype=torch.float64 if dtype is np.float64 else torch.float32,
    ).eval()
    with torch.no_grad():
        for name, tensor in module.named_parameters():
            if "bias" in name:  # they start at 0, where a forgotten one would not show
                tensor.normal_()
    compare(rng, layer_of(module), module, precision)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_default_module_has_the_batch_on_the_second_axis(seed: int) -> None:
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    module = torch.nn.MultiheadAttention(12, 3, dtype=torch.float64).eval()
    x = rng.normal(size=(5, 2, 12))
    expected_output, expected_weights = module(*[torch.from_numpy(x)] * 3)
    output, weights = layer_of(module)(x.swapaxes(0, 1))
    close(output.swapaxes(0, 1), expected_output, 1e-12)
    close(weights.mean(axis=-3), expected_weights, 1e-12)


def test_one_sequence_without_a_batch_axis() -> None:
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(12, 3, dtype=torch.float64).eval()
    x = np.random.default_rng(0).normal(size=(5, 12))
    expected_output, expected_weights = module(*[torch.from_numpy(x)] * 3, average_attn_weights=False)
    output, weights = layer_of(module)(x)
    close(output, expected_output, 1e-12)
    close(weights, expected_weights, 1e-12)


@pytest.mark.parametrize(("dtype", "precision"), PRECISIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_scaled_dot_product_attention(seed: int, dtype: type, precision: float) -> None:
    """Its boolean mask means what ours means; its is_causal excludes a mask, so the two are joined by hand."""
    rng = np.random.default_rng(seed)
    batch, g, r, n, m, d_k, d_v = (int(size) for size in rng.integers(1, 7, size=7))
    grouped, causal, masked = (bool(flag) for flag in rng.integers(2, size=3))
    h = g * r if grouped else g
    q: Array = rng.normal(size=(batch, h, n, d_k)).astype(dtype)
    k: Array = rng.normal(size=(batch, g, m, d_k)).astype(dtype)
    v: Array = rng.normal(size=(batch, g, m, d_v)).astype(dtype)
    mask = random_mask(rng, (batch, h, n, m) if rng.random() < 0.5 else (n, m)) if masked else None
    joined = mask & np.tri(n, m, dtype=bool) if masked and causal else mask
    expected = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (q, k, v)),
        attn_mask=None if joined is None else torch.from_numpy(joined),
        is_causal=causal and not masked,
        enable_gqa=grouped,
    )
    output, _ = scaled_dot_product_attention(q, k, v, mask=mask, causal=causal, grouped=grouped)
    close(output, expected, precision)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("widths", [(None, None), (256, 384), (256, None)])
def test_the_number_of_parameters(widths: tuple[int | None, int | None], bias: bool) -> None:
    k_width, v_width = widths
    module = torch.nn.MultiheadAttention(512, 8, kdim=k_width, vdim=v_width, bias=bias)
    layer = MultiHeadAttention.initialise(
        np.random.default_rng(0), 512, 8, k_width=k_width, v_width=v_width, bias=bias, dtype=np.float32
    )
    ours = sum(tensor.size for tensor in layer.parameters.values())
    assert ours == sum(tensor.numel() for tensor in module.parameters())

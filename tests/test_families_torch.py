"""The PyTorch families against PyTorch itself."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

from mha_quiz.families import FAMILIES
from mha_quiz.question import Question, draw

torch = pytest.importorskip("torch")
flop_counter = pytest.importorskip("torch.utils.flop_counter")
BY_ID = {family.id: family for family in FAMILIES}
torch.set_num_threads(1)
SMALL = 2**19
"""Numbers in the largest array of a call; larger variants are not run."""


def variants(family_id: str, count: int = 4) -> list[Question]:
    """The first variants that are quick to run."""

    def size(question: Question) -> float:
        p = question.parameters
        d = p.get("d", 1)
        return max(d**2, p.get("B", 1) * max(p.get("n", 1), p.get("m", 1)) ** 2 * p.get("h", 1))

    return list(islice((q for seed in range(200) if size(q := draw(BY_ID[family_id], seed)) <= SMALL), count))


def module(question: Question, **options: object) -> "torch.nn.MultiheadAttention":
    return torch.nn.MultiheadAttention(question.parameters["d"], question.parameters["h"], **options).eval()


def returned_weights(question: Question) -> tuple[int, ...]:
    p = question.parameters
    q, k = torch.zeros(p["B"], p["n"], p["d"]), torch.zeros(p["B"], p["m"], p["d"])
    output, weights = module(question, batch_first=True)(q, k, k)
    assert tuple(output.shape) in {slip.value for slip in question.slips}
    return tuple(weights.shape)


def default_batch_axis(question: Question) -> tuple[int, ...]:
    p = question.parameters
    x = torch.zeros(p["B"], p["n"], p["d"])
    return tuple(module(question)(x, x, x)[1].shape)


def no_batch_axis(question: Question) -> tuple[int, ...]:
    p = question.parameters
    q, k = torch.zeros(p["n"], p["d"]), torch.zeros(p["m"], p["d"])
    return tuple(module(question)(q, k, k)[1].shape)


def mask_of_three_axes(question: Question) -> tuple[int, ...]:
    """The answer, if the module takes a mask of this shape and refuses the slips of three and four axes."""
    p = question.parameters
    attention = module(question, batch_first=True)
    q, k = torch.zeros(p["B"], p["n"], p["d"]), torch.zeros(p["B"], p["m"], p["d"])
    for slip in question.slips:
        if slip.id in ("per-batch", "four-axes"):
            with pytest.raises((RuntimeError, AssertionError)):
                attention(q, k, k, attn_mask=torch.zeros(slip.value, dtype=torch.bool))
    attention(q, k, k, attn_mask=torch.zeros(question.answer, dtype=torch.bool))
    return question.answer


def extra_keys(question: Question) -> tuple[int, ...]:
    p = question.parameters
    q, k = torch.zeros(p["B"], p["n"], p["d"]), torch.zeros(p["B"], p["m"], p["d"])
    attention = module(question, batch_first=True, add_bias_kv=p["a"] == 1, add_zero_attn=p["z"] == 1)
    return tuple(attention(q, k, k)[1].shape)


def key_and_value_inputs(question: Question) -> int:
    attention = module(question, kdim=question.parameters["e"], vdim=question.parameters["f"])
    return sum(tensor.numel() for tensor in attention.parameters())


def rows_of_in_proj(question: Question) -> int:
    return module(question).in_proj_weight.shape[0]


def boolean_masks(question: Question) -> int:
    p = question.parameters
    row = torch.arange(p["m"]) < p["t"]
    if p["sdpa"]:
        q, k = torch.zeros(1, 4), torch.zeros(p["m"], 4)
        weights = torch.nn.functional.scaled_dot_product_attention(q, k, torch.eye(p["m"]), attn_mask=row[None])
    else:
        attention = torch.nn.MultiheadAttention(4, 1).eval()
        q, k = torch.zeros(1, 4), torch.zeros(p["m"], 4)
        weights = attention(q, k, k, attn_mask=row[None])[1]
    return int((weights > 0).sum())


def causal_corner(question: Question) -> int:
    p = question.parameters
    q, k = torch.zeros(p["n"], 4), torch.zeros(p["m"], 4)
    weights = torch.nn.functional.scaled_dot_product_attention(q, k, torch.eye(p["m"]), is_causal=True)
    return int((weights[p["i"] - 1] > 0).sum())


@pytest.mark.parametrize(
    ("family_id", "run"),
    [
        ("A10", returned_weights),
        ("A12", default_batch_axis),
        ("A13", no_batch_axis),
        ("A14", mask_of_three_axes),
        ("A16", extra_keys),
        ("B7", key_and_value_inputs),
        ("B10", rows_of_in_proj),
        ("E17", boolean_masks),
        ("E18", causal_corner),
    ],
)
def test_pytorch_answers_as_the_family_says(family_id: str, run: Callable[[Question], object]) -> None:
    with torch.no_grad():
        asked = variants(family_id)
        assert len(asked) == 4
        for question in asked:
            assert run(question) == question.answer, question.parameters


@pytest.mark.parametrize(
    ("family_id", "options"), [("B1", {"bias": False}), ("B2", {"bias": True})], ids=["no bias", "bias"]
)
def test_pytorch_has_as_many_parameters(family_id: str, options: dict[str, bool]) -> None:
    for question in variants(family_id, 3):
        assert sum(tensor.numel() for tensor in module(question, **options).parameters()) == question.answer


# Shapes and counts with no array behind them: on the device "meta" PyTorch works out shapes alone


def split(width: int, heads: int, *axes: int) -> "torch.Tensor":
    """What a projection to `heads` heads of this width gives, [B, heads, n, width]."""
    *axes, d = axes
    projection = torch.nn.Linear(d, heads * width, bias=False, device="meta")
    return projection(torch.empty(*axes, d, device="meta")).unflatten(-1, (heads, width)).transpose(-3, -2)


def heads_and_scores(question: Question) -> dict[str, tuple[int, ...]]:
    """The shapes on the way through a layer, as PyTorch makes them."""
    p = question.parameters
    h, m, batch, n = p["h"], p.get("m", p["n"]), p["B"], p["n"]
    d = p.get("d", 64)
    k = p.get("k", d // h)
    q, keys = split(k, h, batch, n, d), split(k, p.get("g", h), batch, m, d)
    values = split(p.get("v", k), p.get("g", h), batch, m, d)
    heads = torch.nn.functional.scaled_dot_product_attention(q, keys, values, enable_gqa="g" in p)
    return {
        "q": tuple(q.shape),
        "projected": tuple(q.transpose(-3, -2).flatten(-2).shape),
        "transposed": tuple(keys.transpose(-2, -1).shape),
        "scores": () if "g" in p else tuple((q @ keys.transpose(-2, -1)).shape),
        "keys": tuple(keys.shape),
        "heads": tuple(heads.shape),
        "joined": tuple(heads.transpose(-3, -2).flatten(-2).shape),
    }


@pytest.mark.parametrize(
    ("family_id", "shape"),
    [
        ("A2", "projected"),
        ("A3", "q"),
        ("A4", "transposed"),
        ("A5", "scores"),
        ("A6", "scores"),
        ("A7", "heads"),
        ("A8", "joined"),
        ("A11", "keys"),
    ],
)
def test_pytorch_makes_the_shape(family_id: str, shape: str) -> None:
    for seed in range(10):
        question = draw(BY_ID[family_id], seed)
        assert heads_and_scores(question)[shape] == question.answer, question.parameters


def test_pytorch_has_the_output_and_the_head_width() -> None:
    for seed in range(10):
        p = draw(BY_ID["A9"], seed).parameters
        attention = torch.nn.MultiheadAttention(p["d"], p["h"], batch_first=True, device="meta")
        q, k = (torch.empty(p["B"], p[name], p["d"], device="meta") for name in "nm")
        assert tuple(attention(q, k, k)[0].shape) == draw(BY_ID["A9"], seed).answer
        question = draw(BY_ID["A1"], seed)
        attention = torch.nn.MultiheadAttention(question.parameters["d"], question.parameters["h"], device="meta")
        assert attention.head_dim == question.answer


def test_pytorch_gives_a_head_neighbouring_columns() -> None:
    for seed in range(10):
        question = draw(BY_ID["A15"], seed)
        p = question.parameters
        x = torch.arange(p["n"] * p["d"]).reshape(1, p["n"], p["d"])
        assert x.unflatten(-1, (p["h"], p["d"] // p["h"])).transpose(1, 2)[0, p["j"], p["t"], 0] == question.answer


def weights_of(*sizes: tuple[int, int]) -> int:
    """Of linear maps without bias."""
    maps = [torch.nn.Linear(inputs, outputs, bias=False, device="meta") for inputs, outputs in sizes]
    return sum(each.weight.numel() for each in maps)


def layer_weights(d: int, h: int, g: int | None = None, k: int | None = None, v: int | None = None) -> int:
    k = k or d // h
    v, g = v or k, g or h
    return weights_of((d, h * k), (d, g * k), (d, g * v), (h * v, d))


def multihead(d: int, h: int, *, bias: bool = False) -> int:
    return sum(each.numel() for each in torch.nn.MultiheadAttention(d, h, bias=bias, device="meta").parameters())


COUNTS: dict[str, Callable[[dict[str, int]], float]] = {
    "B3": lambda p: multihead(p["d"], p["h"]) * 3 / 4 / p["h"],
    "B4": lambda p: weights_of((p["h"] * p["v"], p["d"])),
    "B5": lambda p: layer_weights(p["d"], p["h"], k=p["k"], v=p["v"]),
    "B6": lambda p: layer_weights(p["d"], p["h"], g=p["g"]),
    "B8": lambda p: multihead(p["d"], p["h"] * p["c"]) / multihead(p["d"], p["h"]),
    "B9": lambda p: multihead(p["d"] * p["c"], p["h"]) / multihead(p["d"], p["h"]),
    "B11": lambda p: layer_weights(p["d"], p["h"], g=1),
    "B12": lambda p: multihead(p["d"], p["h"]) / (multihead(p["d"], p["h"]) + weights_of(*[(p["d"], p["f"])] * p["w"])),
    "B13": lambda p: (
        multihead(p["d"], p["h"], bias=True)
        + sum(each.numel() for each in torch.nn.LayerNorm(p["d"], device="meta").parameters())
    ),
}


@pytest.mark.parametrize("family_id", COUNTS)
def test_pytorch_counts_the_parameters(family_id: str) -> None:
    for seed in range(10):
        question = draw(BY_ID[family_id], seed)
        assert COUNTS[family_id](question.parameters) == pytest.approx(question.answer, rel=1e-12), question.parameters


def flops(run: Callable[[], object]) -> int:
    """What PyTorch's own counter sees."""
    with flop_counter.FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops()


def projected(tokens: int, d: int) -> "torch.Tensor":
    """Four projections, summed up for a backward pass; the input wants a gradient too, as inside a model."""
    x = torch.empty(tokens, d, device="meta", requires_grad=True)
    return sum(torch.nn.Linear(d, d, bias=False, device="meta")(x) for _ in range(4)).sum()


def attended(queries: int, keys: int, d: int, h: int) -> "torch.Tensor":
    q, k = torch.empty(h, queries, d // h, device="meta"), torch.empty(h, keys, d // h, device="meta")
    return (q @ k.transpose(-2, -1)).softmax(-1) @ k


FLOPS: dict[str, Callable[[dict[str, int]], int]] = {
    "C2": lambda p: (
        flops(
            lambda: (
                torch.empty(p["h"], p["n"], p["d"] // p["h"], device="meta")
                @ torch.empty(p["h"], p["d"] // p["h"], p["n"], device="meta")
            )
        )
        // 2
    ),
    "C3": lambda p: flops(lambda: attended(p["n"], p["n"], p["d"], p["h"])),
    "C4": lambda p: flops(lambda: projected(p["n"], p["d"])),
    "C5": lambda p: flops(lambda: (projected(p["n"], p["d"]), attended(p["n"], p["n"], p["d"], p["h"]))),
    "C13": lambda p: flops(lambda: (projected(1, p["d"]), attended(1, p["n"], p["d"], p["h"]))),
    "C14": lambda p: flops(lambda: projected(p["t"], p["d"]).backward()),
}


@pytest.mark.parametrize("family_id", FLOPS)
def test_pytorch_counts_the_flops(family_id: str) -> None:
    for seed in range(5):
        question = draw(BY_ID[family_id], seed)
        assert FLOPS[family_id](question.parameters) == question.answer, question.parameters


@pytest.mark.parametrize("family_id", ["D2", "D4", "D6"])
def test_pytorch_keeps_as_much(family_id: str) -> None:
    for seed in range(10):
        question = draw(BY_ID[family_id], seed)
        p = dict(question.parameters)
        kind = {2: torch.float16, 4: torch.float32}[p.get("s", 2)]
        if family_id == "D6":
            module = torch.nn.MultiheadAttention(p["d"], p["h"], bias=False, device="meta", dtype=kind)
            assert sum(each.nbytes for each in module.parameters()) == question.answer
            continue
        width = p.get("k") or p["d"] // p["h"]
        cached = torch.empty(p.get("B", 1), p["g"], p.get("n", 1), width, device="meta", dtype=kind)
        q = torch.empty(p.get("B", 1), p["h"], 1, width, device="meta", dtype=kind)
        torch.nn.functional.scaled_dot_product_attention(q, cached, cached, enable_gqa=True)
        stored = 2 * (cached.nbytes * p["L"] if family_id == "D2" else cached.numel())
        assert stored == question.answer, p


def test_every_family_of_shapes_parameters_and_pytorch_has_pytorch_as_its_referee() -> None:
    tested = {family.id for family in FAMILIES if f'"{family.id}"' in Path(__file__).read_text(encoding="utf-8")}
    assert {family.id for family in FAMILIES if family.id[0] in "AB"} <= tested


def test_pytorch_averages_the_weights_of_the_heads() -> None:
    """Two heads of width 1 whose scores for the two keys differ by x and by y."""
    for seed in range(5):
        question = draw(BY_ID["E21"], seed)
        attention = torch.nn.MultiheadAttention(2, 2, bias=False, dtype=torch.float64).eval()
        with torch.no_grad():
            attention.in_proj_weight.copy_(torch.eye(2).repeat(3, 1))
            q = torch.ones(1, 2, dtype=torch.float64)
            k = torch.tensor([[question.parameters["x"], question.parameters["y"]], [0, 0]], dtype=torch.float64)
            assert attention(q, k, k)[1][0, 0].item() == pytest.approx(question.answer, rel=1e-12)


def test_pytorch_agrees_on_softmax_and_overflow() -> None:
    for question in variants("E1"):
        scores = torch.tensor([question.parameters[name] for name in "abc"], dtype=torch.float64)
        assert torch.softmax(scores, 0)[0].item() == pytest.approx(question.answer, rel=1e-12)
    for question in variants("E22"):
        kind = {16: torch.float16, 32: torch.float32, 64: torch.float64}[int(question.parameters["bits"])]
        scores = torch.tensor([question.parameters[f"s{i}"] for i in range(1, 6)], dtype=kind)
        assert int(torch.isinf(scores.exp()).sum()) == question.answer

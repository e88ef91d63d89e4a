"""The PyTorch families against PyTorch itself."""

from collections.abc import Callable
from itertools import islice

import pytest

from mha_quiz.families import FAMILIES
from mha_quiz.question import Question, draw

torch = pytest.importorskip("torch")
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


def test_pytorch_agrees_on_softmax_and_overflow() -> None:
    for question in variants("E1"):
        scores = torch.tensor([question.parameters[name] for name in "abc"], dtype=torch.float64)
        assert torch.softmax(scores, 0)[0].item() == pytest.approx(question.answer, rel=1e-12)
    for question in variants("E22"):
        kind = {16: torch.float16, 32: torch.float32, 64: torch.float64}[int(question.parameters["bits"])]
        scores = torch.tensor([question.parameters[f"s{i}"] for i in range(1, 6)], dtype=kind)
        assert int(torch.isinf(scores.exp()).sum()) == question.answer

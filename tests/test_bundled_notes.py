"""The two bundled notes: every number in them comes out of the attention core, and they say the same in two languages.

`stated` lists each passage with a number, and fills the numbers in from runs of the core. A passage that a note lost,
and a digit of a note that belongs to no passage, both fail.
"""

import importlib.resources
import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cards import collection, front_matter
from cards.language import fold, of_card, of_file
from cards.model import Basic, Card, Cloze, Language, Origin, Reversed
from mha_quiz.attention import Array, join_heads, scaled_dot_product_attention, softmax, split_heads
from mha_quiz.trace import Trace, measure_sizes

NAMES = ("multi-head-attention.md", "multi-head-attention.hinglish.md")
LANGUAGES = ((NAMES[0], Language.EN), (NAMES[1], Language.HINGLISH))
D, H, N = 256, 4, 6
"""The layer of the worked examples, and its tokens."""

LABELS = re.compile(
    r"\b(?:Step|Mistake) [1-5]\b|\b12(?:-year-old| saal)|^[1-5]\. |\b[kv]_[1-3]\b|\\text\{head\}_1, \\ldots",
    re.MULTILINE,
)
"""Digits that count nothing but steps, mistakes, years and vectors."""


def text_of(name: str) -> str:
    return (importlib.resources.files("mha_quiz") / "notes" / name).read_text(encoding="utf-8")


def body(name: str) -> str:
    """The note without its front matter and its diagram."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text_of(name), flags=re.DOTALL)
    return re.sub(r"^```mermaid\n.*?^```\n", "", text, flags=re.DOTALL | re.MULTILINE)


def tex(number: int) -> str:
    """1234 as `1{,}234`."""
    return f"{number:,}".replace(",", "{,}")


def by(*sizes: int) -> str:
    return r" \times ".join(map(str, sizes))


def vector(numbers: Array, digits: int) -> str:
    return "(" + ", ".join(f"{number:.{digits}f}" for number in numbers) + ")"


def by_hand() -> tuple[Array, Array, Array]:
    """A query of width 64 and three keys with the dot products 16, 8 and 24, and the first entries of the values."""
    q = np.zeros((1, D // H))
    q[0, :4] = 2.0
    k = np.zeros((3, D // H))
    k[:, :4] = np.array([[16.0], [8.0], [24.0]]) / 8
    return q, k, np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def shapes() -> Iterator[tuple[str, int]]:
    run = measure_sizes(D, H, N)
    h, n, d_k = run.shape("q split")
    assert run.shape("k split") == run.shape("v split") == (h, n, d_k)
    per_head = run.tensors["w_q"].shape[1] // h
    yield rf"$$d_k = d_v = \frac{{d_{{\text{{model}}}}}}{{h}} = \frac{{{D}}}{{{H}}} = {d_k}$$", 1
    yield rf"$d_k = d_v = {d_k}$", 1
    yield rf"$d_k = {D} / {H} = {per_head}$", 1
    yield rf"${H} \cdot {d_k} = {run.shape('joined')[-1]}$", 1
    yield f"${by(*run.shape('q projected'))}$", 3  # the projected queries, the joined heads, the output
    assert run.shape("q projected") == run.shape("joined") == run.shape("output") == (N, D)
    yield f"${by(h, n, d_k)}$", 1
    yield f"${by(*run.shape('scores')[1:])}$", 1
    yield rf"${H} \cdot {N} \cdot {N} = {math.prod(run.shape('scores'))}$", 2
    yield f"${by(*run.shape('head output')[1:])}$", 1
    yield f"${by(*run.tensors['w_o'].shape)}$", 1


def example_row() -> Iterator[tuple[str, int]]:
    q, k, v = by_hand()
    output, weights = scaled_dot_product_attention(q, k, v)
    dots = (q @ k.T)[0]
    width = q.shape[-1]
    root = math.isqrt(width)
    assert root**2 == width
    first, second, third = (round(dot) for dot in dots)
    a, b, c = scores = [round(dot / root) for dot in dots]
    assert [dot / root for dot in dots] == scores
    total = np.exp(scores).sum()
    rounded = [round(weight, 3) for weight in weights[0]]
    assert round(sum(rounded), 9) == 1
    w1, w2, w3 = (f"{weight:.3f}" for weight in rounded)
    yield rf"$d_k = {width}$", 2
    yield f"${len(k)}$ keys", 1
    yield rf"$q \cdot k_1 = {first}$, $q \cdot k_2 = {second}$", 1
    yield rf"$q \cdot k_3 = {third}$", 1
    yield rf"$\sqrt{{{width}}} = {root}$", 2
    yield rf"${first} / {root} = {a}$, ${second} / {root} = {b}$", 1
    yield rf"${third} / {root} = {c}$", 1
    yield rf"$\text{{softmax}}({first}, {second}, {third})$", 1
    yield f"${softmax(dots).max():.4f}$", 1
    yield rf"$e^{a} + e^{b} + e^{c} = {total:.3f}$", 1
    yield rf"$e^{a} / {total:.3f} = {np.exp(a) / total:.3f}$", 1
    yield rf"$\text{{softmax}}({a}, {b}, {c}) = {vector(softmax(scores), 3)}$", 1
    yield f"${w1} + {w2} + {w3} = 1$", 1
    for number, value in enumerate(v, start=1):
        yield f"$v_{number} = {vector(value, 0)}$", 1
    yield rf"${w1} \, v_1 + {w2} \, v_2 + {w3} \, v_3 = {vector(output[0], 3)}$", 1
    assert vector(np.array(rounded) @ v, 3) == vector(output[0], 3)  # also with the rounded weights
    yield f"${vector(softmax(dots / width), 2)}$", 1
    yield f"${root}$", 1  # divided by 64 in place of 8
    yield f"${width}$", 2


def sums_and_variances() -> Iterator[tuple[str, int]]:
    rng = np.random.default_rng(0)
    q, k = rng.normal(0, 1, size=(2, 20_000, 64))
    dots = (q * k).sum(axis=-1)
    assert math.isclose(dots.var(), 64, rel_tol=0.05)
    assert math.isclose((dots / math.sqrt(64)).var(), 1, rel_tol=0.05)
    yield "$0$ and variance $1$|$0$ aur variance $1$", 1
    row_sums = softmax(rng.normal(size=(5, 7))).sum(axis=-1)
    assert np.allclose(row_sums, 1)
    blocked = softmax([1.0, -np.inf])[1]
    assert blocked == 0
    yield "$1$", 5  # the sums of rows (4), and the variance after scaling
    yield "$0$", 1  # the weight of a blocked score


def parameters() -> Iterator[tuple[str, int]]:
    layer = measure_sizes(D, H, N)
    w_q, w_o = layer.tensors["w_q"], layer.tensors["w_o"]
    d_k = w_q.shape[1] // H
    one, three, all_heads = D * d_k, 3 * D * d_k, layer.parameters - w_o.size
    assert (one, all_heads) == (w_q.size // H, H * three)
    with_biases = measure_sizes(D, H, N, bias=True).parameters
    assert measure_sizes(D, 8, N).parameters == layer.parameters
    yield f"${by(D, d_k)} = {tex(one)}$", 3
    yield rf"$3 \cdot {tex(one)} = {tex(three)}$", 1
    yield rf"${H} \cdot {tex(three)} = {tex(all_heads)}$", 1
    yield f"${by(*w_o.shape)} = {tex(w_o.size)}$", 1
    yield f"${tex(all_heads)} + {tex(w_o.size)} = {tex(layer.parameters)}$", 1
    yield rf"${tex(layer.parameters)} + 4 \cdot {D} = {tex(with_biases)}$", 1
    yield rf"$4 \cdot {D}^2 = {tex(layer.parameters)}$", 1
    yield f"${tex(layer.parameters)}$", 1
    yield "$h = 8$", 2
    yield r"$d_{\text{model}} = 512$", 1
    yield rf"$4 \cdot 512^2 = {tex(measure_sizes(512, 8, N).parameters)}$", 1
    for d, h in (D, H), (512, 8), (96, 3):
        count = measure_sizes(d, h, N).parameters
        assert (count, measure_sizes(d, h, N, bias=True).parameters - count) == (4 * d**2, 4 * d)
    yield r"$4 d_{\text{model}}^2$", 2
    yield r"$4 d_{\text{model}}$", 1


def costs() -> Iterator[tuple[str, int]]:
    def parts(run: Trace) -> tuple[int, int, int]:
        products = run.products
        return sum(products[name] for name in ("q", "k", "v", "output")), products["scores"], products["heads"]

    for d, h, n in (D, H, 128), (96, 3, 10):
        assert parts(measure_sizes(d, h, n)) == (4 * n * d**2, n**2 * d, n**2 * d)
    run = measure_sizes(D, H, 128)
    projections, scores, _ = parts(run)
    meeting = 2 * D
    both, *rest = parts(measure_sizes(D, H, meeting))
    assert both == sum(rest)
    twice = measure_sizes(D, H, 256).products["scores"] // scores
    yield r"$4 n d_{\text{model}}^2$", 1
    yield r"$n^2 d_{\text{model}}$", 2
    yield r"$4 n d_{\text{model}}^2 + 2 n^2 d_{\text{model}}$", 1
    yield "$n = 128$", 1
    yield rf"$4 \cdot 128 \cdot {D}^2 = {tex(projections)}$", 1
    yield rf"$128^2 \cdot {D} = {tex(scores)}$", 1
    yield f"${tex(run.multiply_adds)}$", 1
    yield f"${tex(run.flops)}$ FLOPs", 1
    yield r"$n = 2 d_{\text{model}}$", 2
    yield f"$n = {meeting}$", 1
    yield f"${tex(both)}$", 1
    yield f"${twice}$ times as many scores|${twice}$ guna scores hote", 1
    yield f"${twice}$ times the scores|${twice}$ guna scores.", 1


def memory() -> Iterator[tuple[str, int]]:
    run = measure_sizes(D, H, 1024, dtype=np.float32)
    cache = measure_sizes(D, H, 1024, dtype=np.float16).kv_cache_nbytes
    assert math.prod(run.shape("scores")) == H * 1024**2
    assert cache == 2 * 1024 * D * 2
    yield "$h n^2$", 1
    yield r"$2 n d_{\text{model}}$", 2
    yield "$n = 1024$", 1
    yield rf"${H} \cdot 1024^2 \cdot 4 = {tex(run.nbytes('scores'))}$ bytes", 1
    yield "$4$ bytes", 1
    yield rf"$2 \cdot 1024 \cdot {D} \cdot 2 = {tex(cache)}$ bytes", 1
    yield "$2$ bytes", 1


def reshaping() -> Iterator[tuple[str, int]]:
    x = np.arange(12).reshape(3, 4)  # tokens 1 to 3
    wrong, right = x.reshape(2, 3, 2), split_heads(x, 2)
    assert (wrong[0][2] == x[1][:2]).all()  # half of token 2
    assert (right[0][2] == x[2][:2]).all()  # the share of token 3
    assert (x.reshape(3, 2, 2).swapaxes(0, 1) == right).all()
    assert (join_heads(right) == x).all()
    yield r"$n = 3$, $d_{\text{model}} = 4$", 1
    yield "$h = 2$", 1
    yield "head $1$", 1
    yield "token $2$", 1
    yield "token $3$", 1


def stated() -> dict[str, int]:
    """Each passage with how often it stands in a note; two wordings, English first, are parted by `|`."""
    given = {rf"$d_{{\text{{model}}}} = {D}$": 8, f"$h = {H}$": 7, f"$n = {N}$": 2}
    sources = (shapes(), example_row(), sums_and_variances(), parameters(), costs(), memory(), reshaping())
    passages = [passage for source in sources for passage in source]
    assert len(dict(passages)) == len(passages)
    return given | dict(passages)


@pytest.mark.parametrize("name", NAMES)
def test_every_number_comes_out_of_the_core(name: str) -> None:
    text = body(name)
    wanted, found = {}, {}
    for passage, count in sorted(stated().items(), key=lambda item: -len(item[0])):
        wording = passage.split("|")[NAMES.index(name) if "|" in passage else 0]
        wanted[wording], found[wording] = count, text.count(wording)
        text = text.replace(wording, "·")
    assert found == wanted
    text = LABELS.sub("·", text)
    assert [line for line in text.split("\n") if re.search(r"\d", line)] == []


def blocks(name: str) -> list[str]:
    return [block for block in re.split(r"\n(?:> ?)?\n", body(name)) if block.strip()]


def formulas(text: str) -> list[str]:
    return sorted(re.findall(r"\$\$[^$]+\$\$|\$[^$]+\$", text))


def test_the_notes_say_the_same_block_by_block() -> None:
    english, hinglish = map(blocks, NAMES)
    kinds = [[re.match(r"#+ |> |- |\$\$|", block)[0] for block in note] for note in (english, hinglish)]  # type: ignore[index]
    assert kinds[0] == kinds[1]
    for ours, theirs in zip(english, hinglish, strict=True):
        assert formulas(ours) == formulas(theirs)
        assert ours.count("\n") == theirs.count("\n")
        assert (" :: " in ours, "\n?\n" in ours, ours.count("==")) == (
            " :: " in theirs,
            "\n?\n" in theirs,
            theirs.count("=="),
        )
        assert re.findall(r"\[\[.*?\]\]", ours) == re.findall(r"\[\[.*?\]\]", theirs)


def test_the_diagrams_have_the_same_arrows() -> None:
    arrows = [re.findall(r"(\w)(?:\[.*?\])? --> (\w)", text_of(name)) for name in NAMES]
    assert len(arrows[0]) == 10
    assert arrows[0] == arrows[1]


@pytest.mark.parametrize(("name", "language"), LANGUAGES)
def test_what_the_front_matter_says(name: str, language: Language) -> None:
    matter, problems = front_matter.read(text_of(name).split("\n"), name)
    assert problems == ()
    assert (matter.language, matter.derived, matter.tags) == (
        language,
        True,
        ("flashcards/ai-ml/multi-head-attention",),
    )
    assert matter.title is not None
    assert f"# {matter.title}\n" in body(name)
    assert matter.twin in NAMES
    assert matter.twin != name


@pytest.mark.parametrize(("name", "language"), LANGUAGES)
def test_the_words_alone_tell_the_language(name: str, language: Language) -> None:
    assert of_file(body(name).replace("Hinglish", ""), path="note.md", declared=None, title=None) is language


def test_hinglish_words_have_one_spelling() -> None:
    text = body(NAMES[1])
    assert fold(text, hinglish=True).casefold() == text.casefold()


def cards_of(name: str) -> tuple[Card, ...]:
    with importlib.resources.as_file(importlib.resources.files("mha_quiz") / "notes") as folder:
        return collection.read([folder / name]).cards


def texts(card: Card) -> tuple[str, str]:
    match card.content:
        case Basic(front, back) | Reversed(front, back):
            return front, back
        case Cloze(pieces):
            return "".join(piece if isinstance(piece, str) else piece.answer for piece in pieces), ""


def test_the_notes_read_without_a_problem() -> None:
    with importlib.resources.as_file(importlib.resources.files("mha_quiz") / "notes") as folder:
        found = collection.read([folder])
    assert found.problems == ()
    assert len(found.notes) == 2
    assert {card.deck for card in found.cards} == {
        "ai-ml::multi-head-attention",
        "ai-ml::multi-head-attention::From the notes",
    }


def test_the_cards_pair_one_to_one_in_order() -> None:
    english, hinglish = ([card for card in cards_of(name) if card.origin is Origin.FLASHCARD] for name in NAMES)
    assert len(english) == 29
    for ours, theirs in zip(english, hinglish, strict=True):
        assert type(ours.content) is type(theirs.content)
        assert ours.place.line == theirs.place.line
        for our_text, their_text in zip(texts(ours), texts(theirs), strict=True):
            assert formulas(our_text) == formulas(their_text)
            assert bool(our_text) == bool(their_text)


@pytest.mark.parametrize(("name", "language"), LANGUAGES)
def test_each_card_is_in_the_language_of_its_note(name: str, language: Language) -> None:
    cards = cards_of(name)
    assert {card.language for card in cards} == {language}
    if language is Language.HINGLISH:  # a card of formulas tells nothing, but the questions do
        marked = [" ".join(texts(card)) for card in cards if card.origin is Origin.FLASHCARD]
        assert {of_card(text, file=Language.EN, headings=()) for text in marked} == {language}


@pytest.mark.parametrize("name", NAMES)
def test_no_two_cards_ask_the_same(name: str) -> None:
    fronts = [re.sub(r"\W", "", texts(card)[0].casefold()) for card in cards_of(name)]
    assert len(set(fronts)) == len(fronts)


@pytest.mark.parametrize("name", NAMES)
def test_no_sentence_is_taken_from_the_pages_this_was_written_after(name: str) -> None:
    pages = Path(__file__).parents[2] / "shared" / "seeds"
    if not pages.exists():
        pytest.skip("the pages are not beside this checkout")
    theirs = {run for page in pages.iterdir() for run in _runs(page.read_text("utf-8-sig"))}
    assert theirs
    assert theirs.isdisjoint(_runs(body(name)))


def _runs(text: str) -> set[tuple[str, ...]]:
    """All runs of seven words within a sentence."""
    sentences = re.split(r"[.?!:;\n]", re.sub(r"\$[^$]*\$", " ", text).casefold())
    words = [re.findall(r"[^\W_]+", sentence) for sentence in sentences]
    return {tuple(sentence[i : i + 7]) for sentence in words for i in range(len(sentence) - 6)}

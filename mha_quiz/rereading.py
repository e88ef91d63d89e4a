"""Where notes speak of what a family asks, so that it can be read again."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mha_quiz.claims.passages import Passage as NotePassage
from mha_quiz.claims.passages import Reading


@dataclass(frozen=True, slots=True)
class Passage:
    """A place to read again."""

    place: str
    """`notes.md:12`."""
    title: str
    """The heading it stands under, as Markdown; empty if there is none."""


_SCORES = r"scores?\b|Q_?\{?i?\}? ?K|q ?\\cdot ?k|attention map"
_WIDTH = r"d_\{?k\}?\b|per[- ]head|width of (?:a|one) head|dimension per head|head ki width"
_OUTPUT = r"W\^\{?O|output projection|final (?:linear )?projection|mix"
_COMPLEXITY = r"complexity|FLOP|multiply-add|\bcosts?\b|kharcha"
_MASK = r"\bmask"
_CACHE = r"\bcache"
_SOFTMAX = r"softmax"
_GROUPED = r"grouped|shared? key|multi-query|GQA|MQA|share keys"

_COSTS = re.compile(_COMPLEXITY, re.IGNORECASE)

_TOPICS: Mapping[str, tuple[str, ...]] = {
    "A1": (_WIDTH, r"/ ?h\b|share|reduce|baant"),
    "A2": (r"\bproject", r"XW|X W|QW|Q W|W_?\{?i?\}?\^\{?Q", r"shape"),
    "A3": (r"\bsplit|\bcut\b|subspace|reshape", r"head"),
    "A4": (r"K_?\{?i?\}?\^\{?T|transpose|k\^\{?T", r"shape"),
    "A5": (_SCORES, r"shape|\\times|matrix"),
    "A6": (r"cross[- ]attention|\bm\$? keys", _SCORES),
    "A7": (
        r"\bhead[^.\n]*\boutput|\boutput[^.\n]*\bhead|weights? times|V_?\{?i?\}?\$? se multiply",
        r"d_\{?v",
        r"shape|\\times",
    ),
    "A8": (r"concat|side by side|\bjoin", r"shape|\\times"),
    "A9": (r"cross[- ]attention", _OUTPUT),
    "A11": (_CACHE, _GROUPED),
    "A15": (r"\breshape|\.view\b|\bview\(", r"transpose|swap"),
    "B1": (r"parameter", r"4 ?d|whole layer|total parameters"),
    "B2": (r"\bbias", r"with bias|biases add|bias(?:es)? (?:ke saath|jodn)"),
    "B3": (r"parameter", r"per head|each head|W_?\{?i"),
    "B4": (_OUTPUT, r"d_\{?v|parameter"),
    "B5": (r"parameter", r"d_\{?v"),
    "B6": (_GROUPED, r"parameter"),
    "B8": (r"(?:more|extra|zyada) heads|heads need", r"parameter"),
    "B9": (r"parameter", r"d_\{?(?:\\text\{)?model\}?\}?\^\{?2"),
    "B11": (r"multi-query|\bMQA\b|single key/value", r"parameter"),
    "B12": (r"\bMLP\b|d_\{?(?:\\text\{)?ff\b", r"parameter"),
    "B13": (r"layer ?norm", r"parameter"),
    "C1": (_SCORES, r"how many|kitne|count|n\^\{?2"),
    "C2": (_COMPLEXITY, _SCORES),
    "C3": (_COMPLEXITY, r"n\^\{?2|weighted sum"),
    "C4": (_COMPLEXITY, r"projection"),
    "C5": (_COMPLEXITY, r"whole layer|poori layer|in total|total cost"),
    "C6": (_COMPLEXITY, r"as much as|dominat|ke barabar|cross(?:over|ing)"),
    "C7": (_COMPLEXITY, r"quadratic|twice|doguna"),
    "C8": (_COMPLEXITY, r"\bheads"),
    "C9": (_MASK, r"causal"),
    "C10": (_MASK, r"causal|block"),
    "C11": (r"dot[- ]product", _WIDTH),
    "C12": (_MASK, r"causal|" + _COMPLEXITY),
    "C13": (r"\bdecod(?:e|ing)\b|\b(?:new|next|naya|naye) token", _CACHE, _COMPLEXITY),
    "C14": (r"\bbackward|\btraining (?:cost|FLOPs?|compute|ka kharcha)", _COMPLEXITY),
    "D1": (r"\bmemory|\bbytes", _SCORES),
    "D2": (_CACHE, r"bytes|memory|2 ?n"),
    "D3": (_CACHE, _GROUPED),
    "D4": (_CACHE, r"2 ?n|numbers|" + _GROUPED),
    "D5": (r"latent|\bMLA\b", _CACHE),
    "D6": (r"(?:parameter|weights)[^.\n]*\bbytes|\bbytes[^.\n]*(?:parameter|weights)",),
    "D7": (r"GiB|2\^\{?30", r"\bGB\b|1024"),
    "D8": (_CACHE, r"batch"),
    "D9": (r"blockwise|flash-?attention", r"memory"),
    "E1": (_SOFTMAX, r"weights?|e\^"),
    "E2": (r"\\sqrt|scal(?:e|ed|ing)\b", _SOFTMAX + r"|d_\{?k"),
    "E3": (_SOFTMAX, r"e\^|ratio"),
    "E4": (_SOFTMAX, r"equal|sums? (?:to|1)|uniform"),
    "E5": (r"softmax[^.\n]*(?:shift|constant|maximum)|(?:shift|constant|maximum)[^.\n]*softmax",),
    "E6": (_MASK, r"causal"),
    "E7": (r"entropy", r"uniform"),
    "E8": (r"entropy",),
    "E9": (r"temperature", _SOFTMAX),
    "E10": (r"weighted (?:sum|average)|averages? (?:its|the) values", r"value|V_?\{?i"),
    "E11": (r"variance", r"d_\{?k"),
    "E12": (r"\\sqrt|scal(?:e|ed|ing)\b", r"d_\{?k"),
    "E13": (r"sums? to|sum 1|weights? ka sum", _SOFTMAX),
    "E14": (_SOFTMAX, r"weights?"),
    "E15": (r"dropout", r"weights?"),
    "E16": (_MASK, r"softmax|infty"),
    "E19": (r"permut|positional encoding|order of the (?:tokens|words|input)", r"position"),
    "E20": (_OUTPUT, r"concat|join|heads"),
    "E21": (r"averag\w* (?:over|of) (?:the |all )?(?:heads|weights|maps)", _SOFTMAX),
    "E22": (r"overflow|numerical", _SOFTMAX),
    "A10": (r"need_weights|MultiheadAttention",),
    "A12": (r"batch_first|MultiheadAttention",),
    "A13": (r"unbatched|MultiheadAttention",),
    "A14": (r"attn_mask|MultiheadAttention",),
    "A16": (r"add_bias_kv|add_zero_attn|MultiheadAttention",),
    "B7": (r"\bkdim|\bvdim|MultiheadAttention",),
    "B10": (r"in_proj_weight|MultiheadAttention",),
    "E17": (r"attn_mask|boolean mask|MultiheadAttention", _MASK),
    "E18": (r"is_causal|MultiheadAttention|scaled_dot_product_attention", _MASK),
}
"""What each family is about, and then what makes a passage on it fit better."""


def to_read_again(family: str, readings: Sequence[Reading]) -> Passage | None:
    """The first passage that speaks of the family's topic and fits it best; None if the notes say nothing of it.

    What a heading says counts for all that stands under it.
    """
    topic, *more = (re.compile(pattern, re.IGNORECASE) for pattern in _TOPICS.get(family, (r"(?!)",)))
    best: tuple[int, Passage] | None = None
    for reading in readings:
        for passage, title in _passages(reading):
            if family[0] in "AE" and _COSTS.search(title):  # they ask for shapes and values
                continue
            if not (topic.search(title) or topic.search(passage.text)):
                continue
            fit = sum(
                3 if pattern.search(title) else 1
                for pattern in (topic, *more)
                if pattern.search(title) or pattern.search(passage.text)
            )
            if best is None or fit > best[0]:
                place = reading.place(passage, _best_line(passage.text, (topic, *more)))
                best = fit, Passage(f"{place.path}:{place.line}", title)
    return best[1] if best else None


def _best_line(text: str, patterns: Sequence[re.Pattern[str]]) -> int:
    """Where the line begins that says most of it; the first of several."""
    lines = text.split("\n")
    said = [sum(bool(it.search(line)) for it in patterns) for line in lines]
    return sum(len(line) + 1 for line in lines[: said.index(max(said))])


def _passages(reading: Reading) -> Iterator[tuple[NotePassage, str]]:
    """Each with the heading or the box that it stands in, or is."""
    for passage in reading.passages:
        if passage.role != "cell":
            yield passage, reading.titles[passage.scope[-1]] if passage.scope else ""

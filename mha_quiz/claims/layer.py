"""The layer that a passage speaks of: its sizes from names, words and names of released models."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product

from mha_quiz.amounts import Amount
from mha_quiz.claims.context import MANY, Context, Setting, whole
from mha_quiz.claims.passages import Passage, Reading
from mha_quiz.families.presets import MODELS, Model

_NUMBER = r"(\d{1,12}[kK]|\d(?:[\d,]{0,12}\d)?)"
_PATTERNS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    name: tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    for name, patterns in {
        "heads": (
            rf"(?<![\d.,]){_NUMBER}[ -]+(?:query[ -]|attention[ -]|parallel[ -])?heads?\b(?!\s*of\s+the)",
            rf"(?<!\d[ -])(?<!\d  )\bheads\s*[=:]\s*{_NUMBER}\b(?!\s*[×*·^/])",
            rf"\bnumber of heads\s*(?:=|:|is|hai)?\s*{_NUMBER}\b",
            rf"\bheads {_NUMBER} hain?\b",
        ),
        "kv heads": (
            rf"(?<![\d.,]){_NUMBER}[ -]+(?:KV|K/V|key[/-]value|key[- ]and[- ]value|key aur value)[ -]heads?\b",
        ),
        "layers": (rf"(?<![\d.,]){_NUMBER}[ -]+(?:transformer[ -]|decoder[ -]|encoder[ -])?layers?\b",),
        "head width": (
            rf"\bheads?\s+of\s+(?:size|width|dim\w*)\s+{_NUMBER}\b",
            rf"\bhead[- _](?:size|width|dim\w*)\s*(?:=|is|of|:)?\s*{_NUMBER}\b",
            rf"\bheads?,?\s+each\s+{_NUMBER}\s+wide",
        ),
        "tokens": (
            rf"(?<![\d.,]){_NUMBER}[ -]+(?:[A-Za-z]+ )?tokens?\b",
            rf"\b(?:sequence|context)(?:\s+length)?\s*(?:=|is|of|:)?\s*{_NUMBER}\b(?!\s*(?:[KMGT]i?B|bytes))",
            rf"(?<![\d.,]){_NUMBER}[ -]context\b",
        ),
        "width": (
            rf"(?<![\d.,]){_NUMBER}[ -](?:wide|dim(?:ension)?s?|dimensional)\b(?!\s+(?:per|for each|in each|a|har)\b)",
            rf"\b(?:width|(?:hidden|embedding|model) (?:size|dim\w*))\s+(?:is |of |= |: |hai )?{_NUMBER}\b",
            rf"\b(?:d_model|d_\{{model\}}|hidden_size|n_embd|embed_dim)\s*(?::|is\b)?\s*{_NUMBER}\b",
        ),
        "batch": (rf"\bbatch(?:\s+size)?\s*(?:=|is|of|:)?\s*{_NUMBER}\b",),
    }.items()
}
_BYTES = (
    (
        re.compile(
            r"\b(\d)\s+bytes?\s+(?:a|an|per|each|ka|ki|for each|for every)\b|\b(\d)[- ]bytes?[- ](?:numbers?|values?|floats?)\b",
            re.IGNORECASE,
        ),
        0,
    ),
    (re.compile(r"[×*·]\s*([1248])()\s*bytes?\b|\\(?:times|cdot)\s*([1248])\s*bytes?\b", re.IGNORECASE), 0),
    (re.compile(r"\b(?:fp16|bf16|float16|bfloat16|half precision|16[- ]bits?)\b", re.IGNORECASE), 2),
    (re.compile(r"\b(?:fp32|float32|single precision|32[- ]bits?)\b", re.IGNORECASE), 4),
    (re.compile(r"\b(?:int8|fp8|8[- ]bits?)\b", re.IGNORECASE), 1),
)
_MODELS = tuple(
    (
        model,
        re.compile(
            r"\b" + r"[- ]?".join(map(re.escape, re.split(r"[- ]", model.name))) + r"(?!\w|\.\d)", re.IGNORECASE
        ),
    )
    for model in MODELS
)
_ANY_MODEL = re.compile("|".join(pattern.pattern for _, pattern in _MODELS), re.IGNORECASE)
_KEY_WORD = re.compile(
    r"heads?\b|layers?\b|wide\b|width\b|dim|hidden|d_|n_embd|tokens?\b|sequence|context|batch|bytes?\b|fp\d|bf16|float|precision|bits|int8",
    re.IGNORECASE,
)
_WORDS = {
    "heads": ("head",),
    "kv heads": ("head",),
    "layers": ("layer",),
    "head width": ("head",),
    "tokens": ("token", "sequence", "context"),
    "width": ("wid", "dim", "hidden", "model", "embd"),
    "batch": ("batch",),
}
"""A pattern needs one of them: the quick question before the slow one."""
WORD_MARK = "#"
"""Before the name of a size that words told: `#heads`."""


def word_settings(passage: Passage) -> Iterator[Setting]:
    """Sizes that the words of a passage state, such as `32 layers`."""
    if not _KEY_WORD.search(passage.text):
        return
    text = passage.text.replace("$", " ") if "$" in passage.text else passage.text
    lowered = text.lower()
    for name, patterns in _PATTERNS.items():
        for pattern in patterns if any(word in lowered for word in _WORDS[name]) else ():
            for match in pattern.finditer(text):
                digits = match[1].replace(",", "")
                value = int(digits[:-1]) * 1024 if digits[-1] in "kK" else int(digits)
                yield _setting(name, value, passage, match)
    for pattern, value in _BYTES:
        for match in pattern.finditer(text):
            yield _setting("bytes", value or int(next(filter(None, match.groups()))), passage, match)


def _setting(name: str, value: int, passage: Passage, match: re.Match[str]) -> Setting:
    return Setting(WORD_MARK + name, Amount(Fraction(value)), passage, match.start(), match.end())


@dataclass(frozen=True, slots=True)
class Layer:
    """What is known of it; None where the note is silent or says two things."""

    d: int | None
    h: int | None
    g: int | None
    """Key/value heads, if they are told apart."""
    k: int | None
    layers: int | None
    n: int | None
    batch: int | None
    bytes: int | None
    model: Model | None


_NAMES: Mapping[str, tuple[str, ...]] = {
    "d": ("d_model", "d", "D", "n_embd", "d_{model}", "embed_dim", "hidden_size"),
    "h": ("h", "n_heads", "num_heads", "n_h", "H", "#heads"),
    "g": ("g", "n_kv", "h_kv", "n_kv_heads", "#kv heads"),
    "k": ("d_k", "d_head", "d_h", "#head width"),
    "layers": ("L", "n_layers", "#layers"),
    "n": ("n", "T", "seq_len", "N", "#tokens"),
    "batch": ("B", "batch_size", "#batch"),
    "bytes": ("#bytes",),
}


def layer_at(reading: Reading, context: Context, passage: Passage, offset: int) -> Layer:
    """The sizes that hold at a place of the passage; a model named there, or in a heading above, gives the rest."""
    named = {letter: [name for name in names if name in context.names] for letter, names in _NAMES.items()}
    own = {letter: _own(context, names, passage, offset) for letter, names in named.items()}
    outer = {letter: _outer(context, names, passage, offset) for letter, names in named.items()}
    model = named_model(passage.text[max(0, offset - 1000) : offset + 1000])
    if model is None:
        model = named_model(" ".join(reading.titles[scope] for scope in passage.scope))
    if model is not None and all(own[letter] in (None, getattr(model, letter)) for letter in "dh"):
        outer |= {"d": model.d, "h": model.h, "g": model.g, "k": model.d // model.h, "layers": model.layers}
    else:
        model = None
    sizes = {letter: outer[letter] if own[letter] is None else own[letter] or None for letter in _NAMES}
    return Layer(**sizes, model=model)


def _own(context: Context, names: Sequence[str], passage: Passage, offset: int) -> int | None:
    """The value that the passage itself gives: None if it gives none, 0 if it gives two."""
    found = set()
    for name in names:
        setting = context.nearest(name, passage, offset)
        if setting is not None and setting.passage is passage:
            found.add(whole(setting.value) or 0)
        elif setting is None and context.is_set_in(name, passage):
            return 0
    return None if not found else (found.pop() if len(found) == 1 else 0)


def _outer(context: Context, names: Sequence[str], passage: Passage, offset: int) -> int | None:
    """The nearest value above."""
    latest: Setting | None = None
    for name in names:
        setting = context.nearest(name, passage, offset)
        if setting is not None and (latest is None or setting.passage.number > latest.passage.number):
            latest = setting
    return whole(latest.value) if latest else None


_VARIED: Mapping[str, Sequence[str]] = {
    "parameters": ("d", "h", "g", "k", "layers"),
    "bytes": ("d", "h", "g", "k", "layers", "n", "batch", "bytes"),
    "FLOPs": ("d", "h", "n"),
    "multiply-adds": ("d", "h", "n"),
}
"""The sizes that each count depends on."""
_UNGROUPED = re.compile(r"\bMHA\b|\bmulti-?\s?head|\bGQA\b|\bgrouped\b|\ball heads\b", re.IGNORECASE)
_MOST_LAYERS = 1000
_WIDTH = re.compile(r"(?<![\d.,])\d{2,6}(?!\d|[.,]\d)")


def other_layers(layer: Layer, context: Context, passage: Passage, counts: str) -> Iterator[Layer]:
    """The layer with other sizes that the note gives somewhere, or as wide as some number of the passage."""
    choices: dict[str, list[int | None]] = {}
    for letter in _VARIED[counts]:
        names = (*_NAMES[letter], f"{WORD_MARK}width") if letter == "d" else _NAMES[letter]
        found = (whole(value) for name in names for value in context.alternatives(name))
        unknown = [None] if letter == "k" or (letter == "g" and _UNGROUPED.search(passage.text)) else []
        choices[letter] = [getattr(layer, letter), *sorted(filter(None, found)), *unknown]
    if counts != "bytes":
        choices["d"] += [int(match[0]) for match in islice(_WIDTH.finditer(passage.text), MANY)]
    distinct = [list(dict.fromkeys(values)) for values in choices.values()]
    for values in islice(product(*distinct), _MOST_LAYERS):
        yield replace(layer, model=None, **dict(zip(choices, values, strict=True)))


@lru_cache(maxsize=256)
def named_model(text: str) -> Model | None:
    """The one released model that the text names."""
    if not _ANY_MODEL.search(text):
        return None
    found = {model for model, pattern in _MODELS if pattern.search(text)}
    return found.pop() if len(found) == 1 else None

"""Widths that a sentence fixes together: `d_model = 768 and h = 12, so d_k = 64`; those of released models as well."""

import re
from collections.abc import Iterator, Mapping

from mha_quiz.claims.layer import named_model
from mha_quiz.claims.model import Finding, fails
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.plain_signs import NUMBER, plain_signs, whole_number
from mha_quiz.claims.wording import sentences

_IS = r"\s*(?:=|:|\bis\b|\bof\b)\s*"
_ENDS = r"(?!\s*(?:[/·×*+^²−√(]|-\s*\d|\\|%|tokens?\b|layers?\b|bytes?\b))"
_ALONE = r"(?<!\b[A-Za-z] )(?<![\w√{/·×*+^\\−-])(?<![/·×*+^−√=-] )(?<!\d )"
_HEAD = r"(?:attention[ -]|parallel[ -]|query[ -])?heads"
_SOME = r"(?<!\bonly )(?<!\bfirst )(?<!\blast )(?<!\bthese )(?<!\bthose )(?<!\bother )(?<!\bof )(?<!\bof the )"
_GOES_ON = r"(?=\s*(?:[,;:.)(→]|$|(?:of|and|aur|each|have|hain|hai|ho|so|toh?|par|ke|ki|se|gives?|has|means?|with|in|share)\b))"
"""Behind all heads; `3 heads look at punctuation` are some of them."""
_SIZES: Mapping[str, tuple[re.Pattern[str], ...]] = {
    name: tuple(re.compile(pattern) for pattern in patterns)
    for name, patterns in {
        "d_model": (
            rf"{_ALONE}(?:d_?model|d_\{{(?:\\(?:text|mathrm)\{{)?model\}}{{1,2}}|embed_dim|hidden_size|n_embd){_IS}{NUMBER}{_ENDS}",
            rf"\b(?:[Mm]odel|[Ee]mbedding|[Hh]idden) (?:width|size|dim(?:ension)?){_IS}{NUMBER}{_ENDS}",
        ),
        "h": (
            rf"{_ALONE}(?:h|n_heads|num_heads|n_h){_IS}{NUMBER}{_ENDS}",
            _SOME + NUMBER + rf" {_HEAD}\b" + _GOES_ON,
        ),
        "d_k": (
            rf"{_ALONE}(?:d_?k|d_\{{k\}}|d_head|d_\{{(?:\\text\{{)?head\}}{{1,2}}|d_h)(?:\s*=\s*d_\{{?v\}}?)?{_IS}{NUMBER}{_ENDS}",
            rf"\beach of (?:size|width|dim(?:ension)?) {NUMBER}{_ENDS}",
            rf"\b[Hh]eads of (?:(?:size|width|dim(?:ension)?) )?{NUMBER}{_ENDS}",
            rf"\b(?:[Hh]ead (?:width|size|dim(?:ension)?)|(?:each|har) head ki width){_IS}{NUMBER}{_ENDS}",
            rf"\b(?:[Ee]ach|[Ee]very|[Hh]ar) head (?:gets?|has|is|sees|ko|ke paas|uses|handles|works (?:in|with)) {NUMBER}(?= (?:dim|wide|columns|features|numbers))",
            rf"{NUMBER} (?:dims?|dimensions|columns|features) (?:per|for each|a|in each|har) head\b",
        ),
    }.items()
}
_SPEAKS_OF_WIDTHS = re.compile(r"\bheads?\b|\bh\s*=|n_h|num_heads|d_\{?k|\bdk\b", re.IGNORECASE)
_APART = re.compile(
    r"\bhead_?dim\b|decoupl|independen|explicit|\bapart\b|\balag se\b|wider|narrower|unequal|\bnot (?:equal|the same|d_)|[≠≤≥<>∤]|\\neq?\b|"
    r"separate|\binner\b|project|bottleneck|prun|ablat|\bvar(?:y|ies|ied)\b|\bfix(?:ed|ing)?\b|\bke(?:ep|pt|eping)\b|constant|low.rank|latent|\bMLA\b|"
    r"\bkv\b|key[-/ ]value|grouped|\bGQA\b|\bMQA\b|instead|\binsted\b|\bunlike|\bbut\b|lekin|\bmagar\b|\bagar\b.*\bhota\b|compar|\bthan\b|\bvs\b|"
    r"\breduc|\bdrop|\bremov|\bnot divi|remainder|error|fail|raise|round|floor|cross|pad|rotary|\brope\b|conditional|overrid|custom|full width|"
    r"\bnahi\b|\bnot\b|cannot|can't|\beven (?:if|though)|still|\bdespite|although|halanki",
    re.IGNORECASE,
)
_RELEASED = re.compile(
    r"gemma|gemini|\bt5\b|\bt5-|\bul2|qwen|mistral|mixtral|nemo|palm|deepseek|gpt-?oss|gpt-?[345]|\bphi\b|phi-|command|olmo|glm|kimi|grok|"
    r"chinchilla|gopher|whisper|falcon|mamba|bloom|\bopt\b|\byi\b|granite|llama|claude|\bmodels?['’]s\b|\d[BM]\b|\bpaper\b|released",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(
    r"\s*(?:so|hence|thus|therefore|then|this gives|that gives|isliye|toh?|tab|→|⇒)\b|\s*[→⇒]", re.IGNORECASE
)
_LIKE = re.compile(
    r"\blike\b|\bvariant|\bmodified|\btoy\b|\bhalf\b|\bour\b|\bmine\b|\bsmaller\b|\bjaisa", re.IGNORECASE
)


def judge_widths(passage: Passage) -> Iterator[Finding]:
    """Each sentence that gives d_model, h and d_k one value each; what follows may stand in the next sentence."""
    if not _SPEAKS_OF_WIDTHS.search(passage.text):
        return
    text = plain_signs(passage.text)
    before: dict[str, list[re.Match[str]]] = {}
    end_before = 0
    for first, last in sentences(passage.text):
        if not text[first:last].strip():  # between `?` and `::`
            end_before = first - 1
            continue
        here = _sizes(text, first, last)
        joined = dict(here)
        if _FOLLOWS.match(text, first) or text[end_before : end_before + 1] in ("?", ":"):
            joined = {name: before.get(name, []) + here.get(name, []) for name in _SIZES}
        words = text[first:last] if joined == here else text[max(0, end_before - 300) : last]
        if any(here.values()) and not _APART.search(words):
            yield from _judged(passage, joined, words, here)
        before, end_before = here, last


def _sizes(text: str, first: int, last: int) -> dict[str, list[re.Match[str]]]:
    return {
        name: [match for pattern in patterns for match in pattern.finditer(text, first, last)]
        for name, patterns in _SIZES.items()
    }


def _judged(
    passage: Passage, found: Mapping[str, list[re.Match[str]]], words: str, here: Mapping[str, list[re.Match[str]]]
) -> Iterator[Finding]:
    values = {name: {whole_number(match[1]) for match in matches} for name, matches in found.items()}
    if any(len(each) > 1 for each in values.values()):
        return
    said = {name: each.pop() for name, each in values.items() if each}
    matches = [match for each in here.values() for match in each]
    start, end = min(match.start() for match in matches), max(match.end() for match in matches)
    model = named_model(words)
    if model is not None and not _LIKE.search(words):
        own = {"d_model": model.d, "h": model.h, "d_k": model.d // model.h}
        wrong = [name for name, value in said.items() if value != own[name]]
        if len(said) > 1 and len(wrong) == 1:
            right = f"{wrong[0]} = {own[wrong[0]]:,}"
            yield fails(passage, start, end, right, f"{model.name} has {right}")
        return
    if _RELEASED.search(words) or len(said) < len(_SIZES):
        return
    d, h, k = said["d_model"], said["h"], said["d_k"]
    if 0 in (d, h, k) or d == h * k or abs(d - h * k) < h or h == 1 or re.search(rf"\b{h * k}\b", words):
        return
    order = sorted(found, key=lambda name: max(match.start() for match in found[name]))
    if order[-1] == "d_k" and d % h == 0:
        yield fails(passage, start, end, f"{d // h:,}", f"with d_model = {d} and h = {h}: {d} / {h} = {d // h}")
    elif order[-1] == "h" and d % k == 0:
        yield fails(passage, start, end, f"{d // k:,}", f"with d_model = {d} and d_k = {k}: {d} / {k} = {d // k}")
    else:
        yield fails(passage, start, end, f"{h * k:,}", f"{h} heads of width {k} make d_model = {h} · {k} = {h * k:,}")

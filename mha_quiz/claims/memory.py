"""Memory that parameters take: `7B parameters in fp16 take 14 GB`, and the bytes of a number."""

import re
from collections.abc import Iterator
from fractions import Fraction

from mha_quiz.claims.model import Finding, fails
from mha_quiz.claims.numbers import in_unit, number_text
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.plain_signs import DECIMAL, decimal_number, plain_signs, spaced
from mha_quiz.claims.wording import sentences
from mha_quiz.units import suffix_factor

_BYTES = {
    **dict.fromkeys(("fp64", "float64"), Fraction(8)),
    **dict.fromkeys(("fp32", "float32"), Fraction(4)),
    **dict.fromkeys(("fp16", "float16", "bf16", "bfloat16"), Fraction(2)),
    **dict.fromkeys(("int8", "fp8"), Fraction(1)),
    "int4": Fraction(1, 2),
}
_PRECISION = re.compile(rf"\b({'|'.join(_BYTES)})\b", re.IGNORECASE)
_SIZE = spaced(
    rf"\b({'|'.join(_BYTES)})(?: (?:numbers?|values?|floats?|weights?|precision))? ?"
    rf"(?:has|have|is|are|uses?|takes?|needs?|occup(?:y|ies)|means?|=|:|\(|mein|me|ka matlab|ke liye)? ?(?:exactly |only )?{DECIMAL} bytes?\b"
)
_A_NUMBER = spaced(rf"{DECIMAL} bytes? (?:each|per|an?|for each|har|prati|ka|ke)\b|[×*·] ?{DECIMAL} bytes?\b")
_COUNT = spaced(
    rf"{DECIMAL} ?(?:(billion|million|thousand|lakh|crore|[BMKbk](?![A-Za-z]))(?: (?:parameters?|params|weights|model)\b)?|(?:parameters?|params|weights)\b)"
)
_MEMORY = re.compile(rf"{DECIMAL}\s?([kKMGT])(i?)B\b")
_TAKES = re.compile(
    r"\btak(?:e|es|ing)\b|\bneeds?\b|\brequires?\b|\buses?\b|\boccup|\bis\b|\bare\b|=|→|\bmemory\b|\blet[ia]\b|\bchahiye\b|\bhai\b|\bhota\b|\bhain\b|:",
    re.IGNORECASE,
)
_OF_WEIGHTS = re.compile(r"\bparam|\bweights\b|\bmodel\b|\d[BM]\b", re.IGNORECASE)
_MORE_THAN_WEIGHTS = re.compile(
    r"optimi[sz]|\badam\w*|gradient|train|fine-?tun|activation|\bkv\b|cache|\blora\b|overhead|\bplus\b|\+|instead|\bsav(?:e|es|ing)|\bhalf\b|"
    r"\blayers?\b|\bper\b(?! (?:param|weight|number))|\bfits?\b|\bshard|\bless\b|\bmore\b|\bthan\b|\bat least\b|\bat most\b|\bout of\b|remain|\bfree\b|swap|"
    r"context|batch|embedding|\bmoe\b|expert|active|\bcards?\b|\bgpus\b|\bA100|\bH100|\bRTX|\bV100|\bT4\b|tokens?\b|momentum|master|mixed|"
    r"bandwidth|second|/s\b|dataset|\bdisk\b|compress|checkpoint|\bscores?\b|\bactivations?\b|\beach\b.*\b(?:gpu|layer|head)|\bbiases?\b|"
    r"\b(?:n_kv|n_heads|head_dim|seq_?len|S|T|L|B|n|h|b) ?=",
    re.IGNORECASE,
)
_LOOSELY = Fraction(15, 100)
"""GB and GiB are mixed up freely, and a 7B model has 6.7 billion parameters."""


def judge_memory(passage: Passage) -> Iterator[Finding]:
    """Bytes of a precision, and in a sentence with one count, one precision and one amount, the amount."""
    if "byte" not in passage.text.lower() and not _MEMORY.search(passage.text):
        return
    text = plain_signs(passage.text)
    for match in _SIZE.finditer(text):
        right, said = _BYTES[match[1].lower()], decimal_number(match[2])
        several = _SEVERAL.search(text, max(0, match.start() - _BEFORE), match.start())
        if said == right or said > 8 or several:
            continue
        if not _MORE_THAN_WEIGHTS.search(text, match.start(), match.end() + _BEHIND):
            shown = number_text(right)
            why = f"a number in {match[1]} has {shown} byte{'s' * (right > 1)}"
            yield fails(passage, match.start(), match.end(), shown, why)
    for first, last in sentences(passage.text):
        if _MEMORY.search(text, first, last):
            yield from _total(passage, text, first, last)


_BEHIND = 40
_BEFORE = 16
_SEVERAL = re.compile(
    r"(?:\b(?:two|three|four|eight|both|do|teen|char|aath|of|pairs?|all|these)|\d[\s$]*[×*x]?)[\s$]*$", re.IGNORECASE
)
"""Before a precision: numbers of it whose bytes are told together."""


def _total(passage: Passage, text: str, first: int, last: int) -> Iterator[Finding]:
    sizes = {_BYTES[match[1].lower()] for match in _PRECISION.finditer(text, first, last)}
    sizes |= {decimal_number(match[1] or match[2]) for match in _A_NUMBER.finditer(text, first, last)}
    counts = list(_COUNT.finditer(text, first, last))
    amounts = list(_MEMORY.finditer(text, first, last))
    if len(sizes) != 1 or len(counts) != 1 or len(amounts) != 1:
        return
    if (
        _MORE_THAN_WEIGHTS.search(text, first, last)
        or not _TAKES.search(text, first, last)
        or not _OF_WEIGHTS.search(text, first, last)
    ):
        return
    (count,), (amount,), (size,) = counts, amounts, sizes
    power = " KMGT".index(amount[2].upper())
    right = decimal_number(count[1]) * (suffix_factor((count[2] or "").upper()) or 1) * size
    said = decimal_number(amount[1])
    units = (2 ** (10 * power),) if amount[3] else (10 ** (3 * power), 2 ** (10 * power))
    if any(abs(said * unit - right) <= right * _LOOSELY for unit in units):
        return
    shown = in_unit(right, units[0])
    start, end = min(count.start(), amount.start()), max(count.end(), amount.end())
    why = f"{number_text(decimal_number(count[1]))}{_scale(count[2])} · {number_text(size)} bytes = {shown}"
    yield fails(passage, start, end, shown, why)


def _scale(said: str | None) -> str:
    return "" if not said else said if len(said) == 1 else f" {said}"

"""Numbers that words put together: softmax, sums of a list, scaled scores, spreads, grouped caches, causal pairs."""

import re
from collections.abc import Iterator
from fractions import Fraction

from mha_quiz.amounts import Amount
from mha_quiz.claims.model import Finding, fails
from mha_quiz.claims.numbers import number_text
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.plain_signs import DECIMAL, NUMBER, decimal_number, plain_signs, spaced, whole_number
from mha_quiz.claims.terms import Number, Root
from mha_quiz.claims.values import number, softmax_of
from mha_quiz.claims.wording import sentence

_SIGNED = r"[-−]?\d{1,4}(?:\.\d{1,6})?"
_LISTED = rf"[\[(] ?({_SIGNED}(?: ?, ?{_SIGNED}){{1,15}}) ?[\])]"
_TWO = rf"({_SIGNED}(?: ?, ?{_SIGNED}){{0,6}},? (?:and|aur) {_SIGNED})(?![\d%]|\.\d)"
_SOFTMAX = spaced(
    rf"\bsoftmax (?:of|over) (?:the )?(?:scores? |logits? |vector |list )?(?:{_LISTED}|{_TWO}) ?(?:=|≈|→|is|are|gives?|yields?|hai) ?(?:about |roughly )?"
    rf"(?:{_LISTED}|{_TWO})|(?:{_LISTED}|{_TWO}) ka softmax (?:=|≈|→|hai|hota hai)? ?(?:{_LISTED}|{_TWO})"
)
_SCALED_FIRST = re.compile(r"√|sqrt|scal|divid|temperature|\btau\b|mask|\bT\s*=|base 2", re.IGNORECASE)
_SUM = spaced(rf"\b(?:the )?(?:sum|total|jod|yog)(?: (?:is|hai|comes to))? ?[=≈:]? ?{DECIMAL}(?! ?[%/×*·^+-])")
_ITEM = re.compile(rf"\s*(?:and\b|aur\b)?[^=≈,;]{{0,40}}?([A-Za-z_\\^{{}}()\d/.-]{{1,20}})\s*[=≈]\s*{DECIMAL}\s*")
_ROOT = r"(?:√\s{0,4}[{(]?|sqrt\(|sqrt |root |the square root of )"
_SCALING = spaced(
    rf"\b(?:scaling|dividing) {DECIMAL} (?:by|with) (?:1 ?/ ?)?{_ROOT}{NUMBER}[)}}]? (?:gives?|is|makes?|yields?|=|→) [^.;,=\n]{{0,30}}?(?:= ?)?{DECIMAL}(?! ?[/=×·*])|"
    rf"{DECIMAL} scaled (?:by|with) (?:1 ?/ ?)?{_ROOT}{NUMBER}[)}}]? (?:gives?|is|makes?|=|→) [^.;,=\n]{{0,30}}?(?:= ?)?{DECIMAL}(?! ?[/=×·*])"
)
_WIDTH = re.compile(rf"\bd_?\{{?k\}}?\s*=\s*{NUMBER}(?!\s*[/×*·^])")
_SPREAD = spaced(
    rf"\b(standard deviation|std\.? dev\.?|std|variance)\b[^.;\d=]{{0,40}}?(?:(?:for|with|when|at|jab) d_?\{{?k\}}? = {NUMBER}[^.;\d=]{{0,20}}?)?"
    rf"(?:is|=|≈|hai|becomes|equals|of) (?:about )?(?:√(?:\{{?d_?k\}}?|\d{{1,6}}) ?[=≈] ?)?{DECIMAL}(?! ?[/×*·^%])"
)
_OF_SCORES = re.compile(r"q\s*[·.]\s*k|q_i|q\^|\bdot products?\b|\bscores?\b|QK|\bq k\b|\bq,\s*k\b", re.IGNORECASE)
_OTHER_SPREAD = re.compile(
    r"after|scaled|scaling|divid|/\s*√|/√|1\s*/|sigma|σ|init|xavier|variance (?:of )?(?:2|4|0|1/)|std(?: of)? 0|"
    r"each (?:component|entry|weight|product)|per (?:component|entry)|normali[sz]",
    re.IGNORECASE,
)
_GROUPED = spaced(
    rf"{NUMBER} (?:query[ -]heads?|queries|q[ -]heads?)[^.;\d]{{0,30}}?{NUMBER} (?:kv|k/v|key[/-]value|key[- ]and[- ]value|shared)[ -]heads?\b"
)
_SHARE = spaced(
    rf"\b1/{NUMBER}(?: ?(?:th|of|as|the|rd|ka|hissa)\b)|{DECIMAL} ?(?:×|x|times|-?fold|guna) (?:smaller|less|fewer|reduction|chhot[aie])|"
    rf"(?:smaller|reduced|reduces?|shrinks?|shrunk|cut|saves?)(?: (?:the|it|cache|kv|by|a|factor|of))* {DECIMAL} ?(?:×|x\b|times|-?fold|$)"
)
_OTHER_SHARE = re.compile(
    r"\bmqa\b|int\d|fp\d|quanti|layers?\b|tokens?\b|compared (?:with|to) mqa|window", re.IGNORECASE
)
_CAUSAL = spaced(
    rf"\bcausal(?: (?:self-)?(?:mask|masking|attention))(?: (?:over|on|for|with|of|mein|ke saath|matrix|at|n ?=))* {NUMBER}(?: ?(?:×|x) ?\d{{1,6}})?(?: (?:tokens?|positions?))?"
    rf" ([a-z ]{{3,40}}?)([^.;:a-z]{{0,30}}?(?:= ?)?){NUMBER} (?:\([^)]*\) )?(?:query[-–]key |score )?(?:pairs?|entries|scores|positions|cells|weights)\b([^.]{{0,40}})"
)
_VISIBLE = re.compile(r"leav|allow|keep|kept|visible|unmask|has|have|remain|bach", re.IGNORECASE)
_HIDDEN = re.compile(r"hid(?:e|den)|block|mask(?:s|ed)|remov|zero|forbid|-?inf|infin|chhup", re.IGNORECASE)
_WITHOUT = re.compile(r"exclud|without|strict|not counting|except|bina|future|per|each", re.IGNORECASE)
_HEAD_AND_ALL = spaced(
    rf"\b(?:per|each|one|a|har|ek|every) head\b[^.;]{{0,80}}?[=:] ?{NUMBER}(?: [a-z]{{1,12}})?,? (?:and |so |aur |toh? )?(?:for |in |so |with )?(?:all )?{NUMBER} heads(?: ke liye)?(?: together)?"
    rf" ?(?:it is|that is|that makes|they have|have|has|gives?|makes?|need|is|=|:|,)? ?{NUMBER}(?! ?[/×*·^=])"
)


def judge_said_values(passage: Passage) -> Iterator[Finding]:
    text = plain_signs(passage.text)
    lowered = text.lower()
    if "softmax" in lowered:
        yield from _softmax(passage, text)
    for match in _SUM.finditer(text):
        yield from _sum(passage, text, match)
    for match in _SCALING.finditer(text) if "scal" in lowered or "dividing" in lowered else ():
        score, square, said = (part for part in match.groups() if part)
        root = number(Root(Number(Fraction(whole_number(square)))))
        if root is not None and root.value and not _close(right := decimal_number(score) / root.value, said):
            shown = _text(right)
            why = f"√{square} = {_text(root.value)}, and {score} / {_text(root.value)} = {shown}"
            yield fails(passage, match.start(), match.end(), shown, why)
    for match in _SPREAD.finditer(text) if "varia" in lowered or "std" in lowered or "deviation" in lowered else ():
        yield from _spread(passage, text, match)
    for match in _GROUPED.finditer(text) if "cache" in lowered else ():
        yield from _grouped(passage, text, match)
    for match in _CAUSAL.finditer(text) if "causal" in lowered else ():
        yield from _causal(passage, match)
    for match in _HEAD_AND_ALL.finditer(text) if "heads" in lowered else ():
        one, heads, said = map(whole_number, match.groups())
        together = one * heads
        if said != together and together < 2 * said < 4 * together and one > heads:
            why = f"{heads} · {one:,} = {together:,}"
            yield fails(passage, match.start(), match.end(), f"{together:,}", why)


def _softmax(passage: Passage, text: str) -> Iterator[Finding]:
    for match in _SOFTMAX.finditer(text):
        scores, weights = (re.findall(_SIGNED, part) for part in match.groups() if part)
        if len(scores) != len(weights) or _SCALED_FIRST.search(text, *sentence(passage.text, match.start())):
            continue
        values = softmax_of([Amount(decimal_number(score)) for score in scores])
        rights = [value.value for value in values if isinstance(value, Amount)]
        total = sum(map(decimal_number, weights), Fraction(0))
        wrong = not all(map(_close, rights, weights)) or abs(total - 1) > _FAR_FROM_ONE
        if len(rights) == len(weights) and wrong:
            shown = f"[{', '.join(number_text(Fraction(round(right * 1000), 1000)) for right in rights)}]"
            end = max(map(match.end, range(1, len(match.groups()) + 1)))  # where a list of weights ends
            yield fails(passage, match.start(), end, shown, f"the softmax is {shown}")


_FAR_FROM_ONE = Fraction(15, 100)
"""More than rounding adds or takes away."""


def _sum(passage: Passage, text: str, match: re.Match[str]) -> Iterator[Finding]:
    """`e^1 = 2.718, e^2 = 7.389, sum = 10.107`: the numbers stated of things that are written alike."""
    first, _ = sentence(passage.text, match.start())
    pieces = re.split(r",(?!\d{3}\b)|;|\band\b|\baur\b|→", text[first : match.start()])
    if not pieces[-1].strip():
        pieces.pop()
    items = [_ITEM.fullmatch(piece) for piece in pieces]
    if len(items) < 2 or not all(items):
        return
    found = [item for item in items if item is not None]
    if len({re.sub(r"[\d.-]", "", item[1]) for item in found}) != 1 or not re.search(r"\d", found[0][1]):
        return
    total = sum((decimal_number(item[2]) for item in found), Fraction(0))
    slack = sum((_unit(item[2]) for item in found if "." in item[2]), Fraction(0)) / 2 + _unit(match[1])
    if abs(total - decimal_number(match[1])) > (slack if "." in match[1] else slack - 1):
        shown = number_text(total)
        yield fails(passage, first + found[0].start(1), match.end(), shown, f"they add up to {shown}, not {match[1]}")


def _spread(passage: Passage, text: str, match: re.Match[str]) -> Iterator[Finding]:
    first, last = sentence(passage.text, match.start())
    widths = {whole_number(found[1]) for found in _WIDTH.finditer(text, first, last)}
    if len(widths) != 1 or not _OF_SCORES.search(text, first, last) or _OTHER_SPREAD.search(text, first, last):
        return
    (width,) = widths
    is_variance = match[1].lower() == "variance"
    root = number(Root(Number(Fraction(width))))
    if root is None or width < 2:
        return
    right = Fraction(width) if is_variance else root.value
    if not _close(right, match[3]):
        shown = _text(right)
        named = f"the variance is d_k = {shown}" if is_variance else f"the standard deviation is √{width} = {shown}"
        yield fails(passage, match.start(), match.end(), shown, f"{named} for entries of variance 1")


def _grouped(passage: Passage, text: str, match: re.Match[str]) -> Iterator[Finding]:
    heads, groups = map(whole_number, match.groups())
    first, last = sentence(passage.text, match.start())
    if not groups or heads % groups or heads == groups or _OTHER_SHARE.search(text, first, last):
        return
    if len(list(_GROUPED.finditer(text, first, last))) != 1:
        return
    for share in _SHARE.finditer(text, match.end(), last):
        said = decimal_number(next(filter(None, share.groups())))
        if said != heads // groups:
            right = f"1/{heads // groups}" if share[1] else f"{heads // groups}×"
            why = f"{groups} of {heads} heads are cached, so {right}"
            yield fails(passage, match.start(), share.end(), right, why)


def _causal(passage: Passage, match: re.Match[str]) -> Iterator[Finding]:
    n, said = whole_number(match[1]), whole_number(match[4])
    words, behind = match[2], match[5]
    visible, hidden = _VISIBLE.search(words + behind), _HIDDEN.search(words + behind)
    if bool(visible) == bool(hidden) or _WITHOUT.search(words + behind) or n < 2:
        return
    right = n * (n + 1) // 2 if visible else n * (n - 1) // 2
    if said not in (right, n * n):
        what = (
            f"{n} · {n + 1} / 2 = {right:,} pairs are visible"
            if visible
            else f"{n} · {n - 1} / 2 = {right:,} are hidden"
        )
        yield fails(passage, match.start(), match.end(4), f"{right:,}", what)


def _close(right: Fraction, said: str) -> bool:
    """Within one in the last digit that is written; a whole number may be rounded."""
    difference = abs(right - decimal_number(said))
    return difference <= _unit(said) * Fraction(51, 50) if right.denominator > 1 else difference == 0


def _unit(said: str) -> Fraction:
    return Fraction(1, 10 ** len(said.partition(".")[2]))


def _text(value: Fraction) -> str:
    return number_text(Fraction(round(value * 1000), 1000))

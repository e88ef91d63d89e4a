"""Formulas that stand on a pasted page twice or three times over: as the page shows them, and as they are written.

A page that draws its formulas often holds each one in three forms, `dk`, `d_k` and `dk`, one for the screen reader, one
for the source and one for the eye; all of them are copied, with no border between them.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

INVISIBLE = "\u200b"
"""What the form for the eye often holds behind its subscripts."""

_SPELLING = re.compile(r"\\(?:text|mathrm|mathbf|operatorname)(?![A-Za-z])|[\s{}^_\\\u200b]")
_SHORTEST = 5
"""Characters of `α\\xiα`, say; a doubled formula has no fewer."""
_RELATION = re.compile(r"[=<>≤≥≈]")
_EQUATION = re.compile(r"[^=<>≤≥≈]+[=<>≤≥≈][^=<>≤≥≈]*[^=<>≤≥≈]")


def said_twice(tex: str) -> tuple[int, int] | None:
    """Where the one spelling to keep stands, if a formula stands there two or three times over, and nothing else."""
    if len(tex) < _SHORTEST:
        return None
    return _said_alike(tex) or (_shown_and_written(tex, _shown(tex)) if _SIGN.search(tex) else None)


def _said_alike(tex: str, times: Sequence[int] = (2, 3)) -> tuple[int, int] | None:
    """An equation in as many signs each time, `E=mc2E=mc^2`; the one with the most signs of TeX is kept."""
    if len(_RELATION.findall(tex)) not in times:
        return None
    said = _SPELLING.sub("", tex)
    lengths = ((number, len(said) // number) for number in times)
    length = next((length for number, length in lengths if said == said[:length] * number), 0)
    if not _EQUATION.fullmatch(said[:length]):
        return None
    hidden = {place for match in _SPELLING.finditer(tex) for place in range(match.start(), match.end())}
    places = [place for place in range(len(tex)) if place not in hidden]
    borders = [0]
    for last in places[length - 1 : -1 : length]:
        behind = tex[last + 1 :]
        borders.append(len(tex) - len(behind.lstrip(" \t}" + INVISIBLE)))
    spans = list(pairwise((*borders, len(tex))))
    start, end = max(spans, key=lambda span: sum(sign in "\\^_" for sign in tex[span[0] : span[1]]))
    return start, start + len(tex[start:end].rstrip())


_NAMED = "log|ln|exp|max|min|sin|cos|tan|tanh|det|dim|arg|lim|sup|inf|gcd|deg|Pr"
"""Commands that show their own name."""
_LETTERS = (
    "alpha|beta|gamma|delta|(?:var)?epsilon|zeta|eta|theta|kappa|lambda|mu(?!l)|nu|xi|pi|rho|sigma|tau|(?:var)?phi|chi|psi|"
    "omega|Gamma|Delta|Theta|Lambda|Sigma|Phi|Psi|Omega|infty|top|ell|[lc]?dots|rangle|prime"
)
"""Commands that may end a formula, so that letters of its next form stand right behind."""
_COMMAND = re.compile(rf"\\(?:(?P<named>{_NAMED})(?![A-Za-z])|(?:begin|end)\{{[a-z*]+\}}|(?:{_LETTERS})|[A-Za-z]+)")
_SHOWN = re.compile(r"[A-Za-z0-9]")
_DOUBLES = re.compile(rf"[_{INVISIBLE}]|[^\w\s.,;:!?'’\"“”-]")
"""A sign of mathematics, one of which is in the first word of a doubled formula."""
_SIGN = re.compile(rf"[\\_^{{{INVISIBLE}]")
_SPELLED = re.compile(r"[\\_^{}]")
_OPENS_TEX = re.compile(r"[\\{]")
_GREEK = re.compile(
    r"(?P<shown>(?![!-~])(?:[^\W\d_]|[^\w\s])(?:,(?![!-~])[^\W\d_])*)"
    r"(?P<written>\\[A-Za-z]+\s?(?:,\s?\\[A-Za-z]+\s?)*)(?P=shown)"
)
r"""`γ\gammaγ`, and `γ,β\gamma, \betaγ,β`."""
_OPENS_GREEK = re.compile(r"[^\s\\](?:,(?![!-~])[^\W\d_])*\\[A-Za-z]")
_NO_SIGN = re.compile(
    rf"\\(?:(?:{_NAMED}|text[a-z]*|math[a-z]*|operatorname|mbox|[dtc]?frac|[dt]?binom|sqrt|[Bb]igg?[lrm]?|middle|"
    r"(?:display|text)style|(?:no)?limits|over(?:line|set)|under(?:line|set)|stackrel|q?quad)(?![A-Za-z])\*?|"
    r"(?:left|right)(?![A-Za-z])\.?|(?:begin|end)\{[a-z*]+\}|[,;:! \\])"
)
"""Commands that show no sign of their own, but letters or nothing."""
_SIGN_SHOWN = re.compile(r"\\(?:[A-Za-z]+|.)|[^\sA-Za-z0-9_^{}\\&~\u200b\u2061-\u2064]")
_PADDED = re.compile(r"\\(?:[,;:! ]|q?quad(?![A-Za-z]))")
_MOST = 2_000


def _shown_and_written(tex: str, places: Sequence[int]) -> tuple[int, int] | None:
    """The source between two forms that show its letters and digits, perhaps in another order: `QKT/dkQK^T/d_kQKT/dk`.

    `places`: where they stand, of which a command has none.
    """
    if len(tex) > _MOST or not _SIGN.search(tex):
        return None
    if (greek := _GREEK.fullmatch(tex)) and greek["shown"].count(",") == greek["written"].count(","):
        return greek.start("written"), len(tex[: greek.end("written")].rstrip())
    length, rest = divmod(len(places), 3)
    if rest or not length:
        return None
    first, second, third = (
        sorted(tex[at] for at in places[begin : begin + length]) for begin in range(0, 3 * length, length)
    )
    if not first == second == third:
        return None
    leading = places[0]
    opening = _OPENS_TEX.search(tex, places[length - 1] + 1, places[length])
    start = opening.start() if opening else places[length] - leading
    end = places[2 * length] - leading
    if _SPELLED.search(tex[:start] + tex[end:]) or not _SIGN.search(tex[start:end]) or start < places[length - 1]:
        return None
    end -= len(tex[start:end]) - len(tex[start:end].rstrip(" \t" + INVISIBLE))
    if not _signs(tex[start:end]) <= _signs(tex[:start]) <= _signs(tex[end:]) or _PADDED.match(tex, start, end):
        return None  # as in `n \times n \times n`
    return (start, end) if tex.count("{", start, end) == tex.count("}", start, end) else None


def _signs(tex: str) -> int:
    """How many signs are shown that are neither letters nor digits."""
    return len(_SIGN_SHOWN.findall(_NO_SIGN.sub("", tex)))


def _shown(tex: str, most: int | None = None) -> list[int]:
    """Where the letters and digits stand that are shown, at most so many."""
    hidden: set[int] = set()
    for match in _COMMAND.finditer(tex):
        hidden.update((match.start(),) if match["named"] else range(*match.span()))
    return list(islice((place for match in _SHOWN.finditer(tex) if (place := match.start()) not in hidden), most))


_LETTER = re.compile(r"(?<![\w$\\./-])((?![IXwx])[A-Za-z])\1\1(?![\w$/-]|\.\w)")


def with_letters(page: str) -> tuple[str, int]:
    """The page, where it doubles formulas, with each letter that stands there thrice as a formula; and how many.

    Nothing is moved: `nnn` is as long as `$n$`.
    """
    return _LETTER.subn(r"$\1$", page) if INVISIBLE in page else (page, 0)


class Doubled(NamedTuple):
    """`text[start:end]` shows what `text[written:behind]` writes."""

    start: int
    end: int
    written: int
    behind: int


_TOKEN = re.compile(r"\S+")
_SCRIPTED = re.compile(rf"(?<![\w\\$])(\w)(\w+)\1[_^]\{{?\2\}}?\1\2{INVISIBLE}*(?!\w)")
_LONGEST = 10_000
"""Characters of a line; a longer one is no sentence."""
_PUNCTUATION = ".,;:!?"
_MOST_TOKENS = 12
"""Of a formula within a sentence."""


def within(text: str) -> Sequence[Doubled]:
    """Doubled formulas within a line of text, left to right."""
    if not _SHORTEST <= len(text) <= _LONGEST:
        return ()
    bare = "$" not in text
    if INVISIBLE in text or (bare and "\\" in text):
        return list(_of_tokens(text))
    return list(_scripted(text)) if bare and ("_" in text or "^" in text) else ()


def _scripted(text: str) -> Iterator[Doubled]:
    """Those of one letter with an index or a power, such as `dkd_kdk`."""
    for match in _SCRIPTED.finditer(text):
        if span := _shown_and_written(match[0], _shown(match[0])):
            yield Doubled(*match.span(), match.start() + span[0], match.start() + span[1])


def _of_tokens(text: str) -> Iterator[Doubled]:
    """Those that begin where a word begins."""
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    closing = [_may_close(text, start, end) for start, end in tokens]
    at = 0
    while at < len(tokens):
        window = slice(at, at + _MOST_TOKENS)
        found = _from_token(text, tokens[window], closed=True in closing[window])
        if found is None:
            at += 1
            continue
        yield found
        while at < len(tokens) and tokens[at][0] < found.end:
            at += 1


_SPELLED_LAST = re.compile(r"(?:.*[\\_^{}])?", re.DOTALL)


def _may_close(text: str, start: int, end: int) -> bool:
    """Whether a word shows a letter behind all that it spells, as the last form of a formula does."""
    spelled = _SPELLED_LAST.match(text, start, end)
    return _SHOWN.search(text, spelled.end() if spelled else start, end) is not None


def _from_token(text: str, tokens: list[tuple[int, int]], *, closed: bool) -> Doubled | None:
    """The doubled formula that begins with the first of the tokens; punctuation behind it is none of it.

    `closed`: one of the tokens may close it, if it shows letters.
    """
    start, end = tokens[0]
    first = _SHOWN.search(text, start, end) or _SIGN.search(text, start, end)
    if first is None or text[start] == "\\" or not _DOUBLES.search(text, start, end):
        return None
    again = text.find(first[0], first.end(), end) >= 0 or text.find("\\", first.end(), end) >= 0
    if not again and not _OPENS_GREEK.match(text, start, end):  # the written form does not begin in this word
        return None
    last = tokens[-1][1]
    is_shown = first[0].isalnum() and text.find("\\", start, first.start()) < 0
    letter = first[0] if is_shown else ""  # each form shows it
    if text.count(letter, start, last) < 3:
        return None
    while start < end and text[start] == "(" and text.count("(", start, last) > text.count(")", start, last):
        start += 1
    whole = text[start:last].rstrip(_PUNCTUATION)
    written = _first_written(whole, _pieces(text, start, tokens), letter) if closed or not letter else ()
    found = [*written, *_first_said(whole, _pieces(text, start, tokens))]
    if not found:
        return None
    piece, span = min(found, key=lambda one: len(one[0]))
    shown = piece[span[1] :]
    while shown.endswith(")") and shown.count(")") > shown.count("("):
        shown = shown[:-1].rstrip(_PUNCTUATION)
    return Doubled(start, start + span[1] + len(shown), start + span[0], start + span[1])


def _pieces(text: str, start: int, tokens: Sequence[tuple[int, int]]) -> Iterator[str]:
    """The text from there to the end of each word, without punctuation behind it; each is the start of the next."""
    return (text[start:end].rstrip(_PUNCTUATION) for _, end in tokens)


def _first_written(whole: str, pieces: Iterable[str], letter: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The first of the pieces, each the start of the whole, that is shown, written and shown with that letter."""
    spelled = _SPELLED.search(whole)
    most = 3 * len(_SHOWN.findall(whole, 0, spelled.start() if spelled else len(whole)))
    places = _shown(whole, most + 1)
    for piece in islice(pieces, None if most else 3):
        count = bisect_left(places, len(piece))
        if count > most:  # the first form ends before the first sign of spelling
            return
        ends_shown = not _SPELLED.search(piece, piece.rfind(letter) + 1)
        if ends_shown and (span := _shown_and_written(piece, places[:count])):
            yield piece, span
            return


def _first_said(whole: str, pieces: Iterable[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """The first of the pieces, each the start of the whole, that says one equation three times."""
    relations = [match.start() for match in islice(_RELATION.finditer(whole), 4)]
    if len(relations) < 3:
        return
    for piece in pieces:
        if (count := bisect_left(relations, len(piece))) > 3:
            return
        if count == 3 and (span := _said_alike(piece, times=(3,))):
            yield piece, span
            return

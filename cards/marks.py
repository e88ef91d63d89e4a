"""Inline rules for the marks an author makes: separators and clozes; and which of them hide others."""

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import get_args

from markdown_it import MarkdownIt
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.utils import EnvType

from cards.cloze_patterns import BOLD, CURLY, HIGHLIGHT, ClozePattern
from cards.outline import Colons, Hidden, Kind, Mark, Pipe, Protected, Separator, Unclosed
from cards.scan import Scan, Sign, push, put, skip
from cards.settings import Settings

_NUMBERED = re.compile(r"\{\{c([0-9]{1,3})::")
_FOOTNOTES = re.compile(
    r"(?:\[\^([0-9]{1,2}|[ash]+)\](?=\^\[))?(?:\^\[([^\]\n]{0,1000})\])?(?:\[\^([0-9]{1,2}|[ash]+)\])?"
)
"""A hint of more characters is text; the bound keeps a line of hints that never close from being read again by each."""
_COLONS = re.compile(r":{4,}")
_KINDS: Mapping[str, Kind] = {kind: kind for kind in get_args(Kind)}
_MANY_EQUALS = re.compile(r"={3,}")
_MAY_PROTECT = frozenset("\\`%$[(<|")
"""Signs that may begin what is no separator, though one begins with them."""
_HIGHLIGHT = re.compile("==([^=]+)==")


@dataclass(frozen=True)
class Signs:
    """The marks that hold in a note."""

    separators: Mapping[str, bool]
    """Inline separators, longest first; True for the reversed one."""
    longer: tuple[str, ...]
    """Marks of clozes that begin with a separator, such as `==` where `=` is one."""
    clozes: tuple[ClozePattern, ...]
    wraps: tuple[ClozePattern, ...]
    """Those of the clozes whose marks are paired by themselves: all but stars and curly braces."""
    backslash: bool
    """One of the separators begins with a back-slash."""
    quiet_colons: bool
    """Runs of colons are no separators."""
    percent: bool
    """`%%` hides a comment."""
    lines: frozenset[str]
    """Separator lines and end marker of multi-line cards."""
    comments: tuple[str, ...]
    """Those that begin like a comment."""
    quoted: bool
    """One of those begins like a quote."""
    place: re.Pattern[str]
    """Where some mark or protected text may begin."""
    highlights: re.Pattern[str] | None
    """A text with no marks but closed highlights of one field, where no other mark begins with `=`."""


@cache
def signs_of(settings: Settings) -> Signs:
    pairs = ((settings.inline, False), (settings.inline_reversed, True))
    separators = dict(sorted(((sign, both) for sign, both in pairs if sign), key=lambda pair: -len(pair[0])))
    marks = [mark for pattern in settings.cloze for mark in (pattern.opening, pattern.closing)]
    firsts = {sign[0] for sign in separators}
    firsts |= {mark[0] for mark in marks}
    wraps = tuple(pattern for pattern in settings.cloze if pattern not in (BOLD, CURLY))
    percent = settings.comments == "hide"
    lines = frozenset(
        sign for sign in (settings.multiline, settings.multiline_reversed, settings.multiline_end) if sign
    )
    chars = "".join(sorted(firsts | set("\\`$[(<:{}|") | (set("%") if percent else set())))
    return Signs(
        separators,
        tuple(mark for mark in marks if any(mark != sign and mark.startswith(sign) for sign in separators)),
        settings.cloze,
        wraps,
        any(sign.startswith("\\") for sign in separators),
        any(not sign.strip(":") for sign in separators),
        percent,
        lines,
        tuple(sign for sign in lines if sign.startswith(("<!--", "%%"))),
        any(sign.startswith(">") for sign in lines),
        re.compile(f"[{re.escape(chars)}]"),
        _highlights(chars) if wraps == (HIGHLIGHT,) and not any(sign.startswith("=") for sign in separators) else None,
    )


def _highlights(marks: str) -> re.Pattern[str]:
    marks = re.escape(marks)
    return re.compile(rf"(?:[^{marks}]*+==(?!\s)[^{marks};]++(?<!\s)==(?!=))++[^{marks}]*+")


def _signs(state: Scan) -> Signs:
    signs: Signs = state.env["signs"]
    return signs


def pipe(state: Scan, silent: bool) -> bool:
    return state.src[state.pos] == "|" and state.row and push(state, "pipe", state.pos + 1)


def _begins_mark(src: str, start: int, sign: str, longer: tuple[str, ...]) -> bool:
    """Whether a mark of clozes that begins with the sign stands here; between two blanks it could open or close none."""
    before = src[start - 1 : start] if start else ""
    return any(
        len(mark) > len(sign)
        and src.startswith(mark, start)
        and not (before.isspace() and src[start + len(mark) : start + len(mark) + 1].isspace())
        for mark in longer
    )


def separator(state: Scan, silent: bool) -> bool:
    signs, src, start = _signs(state), state.src, state.pos
    if signs.quiet_colons and src.startswith("::::", start) and (run := _COLONS.match(src, start)):
        return push(state, "colons", run.end())
    for sign, both in signs.separators.items():
        if src.startswith(sign, start):
            if signs.longer and _begins_mark(src, start, sign, signs.longer):
                return False
            return put(state, Sign("separator", start, start + len(sign), both))
    return False


def only_separator(signs: Signs, text: str, place: int, end: int) -> Separator | None:
    """The separator at this place, where nothing behind it can be a mark."""
    if signs.longer or text[place] in _MAY_PROTECT or text.startswith("://", place):
        return None
    for sign, both in signs.separators.items():
        behind = place + len(sign)
        if text.startswith(sign, place, end):
            return None if signs.place.search(text, behind, end) else Separator(place, behind, both)
    return None


def cloze_mark(state: Scan, silent: bool) -> bool:
    src, start = state.src, state.pos
    if src[start] in "{}" and _curly_mark(state):
        return True
    for pattern in _signs(state).wraps:
        opens = src.startswith(pattern.opening, start)
        if not opens and not src.startswith(pattern.closing, start):
            continue
        if pattern == HIGHLIGHT and (run := _MANY_EQUALS.match(src, start)):
            return skip(state, run.end())
        mark = pattern.opening if opens else pattern.closing
        end = start + len(mark)
        can_open = opens and end < len(src) and not src[end].isspace()
        can_close = src.startswith(pattern.closing, start) and start > 0 and not src[start - 1].isspace()
        state.highlight |= can_open
        return put(state, Sign("cloze", start, end, pattern=pattern, opens=can_open, closes=can_close))
    return False


def _curly_mark(state: Scan) -> bool:
    """`{{answer}}` where it is switched on, and `{{c1::answer}}` everywhere; braces inside are balanced."""
    src, start = state.src, state.pos
    if start in state.curly:
        return put(state, Sign("cloze", start, start + 2, pattern=CURLY, closes=True))
    if not src.startswith("{{", start):
        return False
    numbered = _NUMBERED.match(src, start)
    if not numbered and CURLY not in _signs(state).clozes:
        return False
    outer, inner = state.pairs.get(start), state.pairs.get(start + 1)
    closing = inner if inner is not None and outer == inner + 1 else state.find("}}", start + 2) if numbered else None
    end = numbered.end() if numbered else start + 2
    group = numbered[1] if numbered else None
    if closing is None or closing < 0:
        return put(state, Sign("cloze", start, end, pattern=CURLY, opens=True, partner=-1))
    if closing <= end:
        return skip(state, closing + 2)
    state.curly.add(closing)
    return put(state, Sign("cloze", start, end, pattern=CURLY, opens=True, group=group, partner=closing))


def strong_mark(state: Scan, silent: bool) -> bool:
    """A run of `*`, paired by the rules of emphasis."""
    if state.src[state.pos] != "*" or BOLD not in _signs(state).clozes:
        return False
    run = state.scanDelims(state.pos, True)
    for place in range(state.pos, state.pos + run.length):
        # the pairing asks which stars stand side by side, so they are named by their places
        state.delimiters.append(Delimiter(ord("*"), run.length, place, -1, run.can_open, run.can_close))
        push(state, "star", place + 1)
    return True


def pair_stars(state: Scan) -> None:
    """Two pairs of stars side by side are strong emphasis: they become cloze marks."""
    delimiters = state.delimiters
    stars = {sign.start: sign for sign in state.signs if sign.kind == "star"} if delimiters else {}
    index = len(delimiters) - 1
    while index > 0:
        right, left = delimiters[index], delimiters[index - 1]
        side_by_side = left.token == right.token - 1
        if side_by_side and right.end != -1 and left.end == right.end + 1:
            closing = delimiters[right.end].token
            if delimiters[left.end].token == closing + 1:
                _become_bold(stars[left.token], partner=closing)
                _become_bold(stars[closing])
                index -= 1
        elif side_by_side and right.end == left.end == -1 and right.open and not right.close:
            _become_bold(stars[left.token], partner=-1)
            index -= 1
        index -= 1


def _become_bold(sign: Sign, *, partner: int | None = None) -> None:
    """Makes two stars a mark: an opening one with a partner (-1 for none to be found), else a closing one."""
    sign.kind, sign.end, sign.pattern = "cloze", sign.start + 2, BOLD
    sign.opens, sign.closes, sign.partner = partner is not None, partner is None, partner


def highlights_of(text: str, moved: Callable[[int], int]) -> tuple[Hidden, ...]:
    """The marks of a text that has no others, found at once."""
    marks = []
    for found in _HIGHLIGHT.finditer(text):
        start, end = moved(found.start()), moved(found.end())
        marks.append(Hidden(start, end, ((start + 2, end - 2),), None, None))
    return tuple(marks)


def read_marks(text: str, md: MarkdownIt, env: EnvType, *, row: bool = False) -> Sequence[Sign]:
    scan = Scan(text, env, row=row)
    md.inline.tokenize(scan)
    return scan.signs


def settled(
    text: str, signs: Sequence[Sign], moved: Callable[[int], int]
) -> tuple[tuple[Mark, ...], tuple[Protected, ...]]:
    """The marks of a text, without what a closed cloze mark hides, and all its comments and TeX brackets.

    The leftmost mark that closes wins, but for one from a line above a mark that closes within its own line. `moved`
    makes offsets of the source from those of the text.
    """
    marks: list[Mark] = []
    inner: list[Protected] = []
    opened: dict[object, tuple[int, Sign]] = {}
    solid: list[tuple[int, int]] = []
    behind = line_start = line_end = 0
    closing: dict[object, int] = {}
    for number, sign in enumerate(signs):
        start, end = sign.start, sign.end
        if start < behind:
            continue
        if kind := _KINDS.get(sign.kind):
            protected = Protected(moved(start), moved(end), kind)
            marks.append(protected)
            solid.append((start, end))
            if kind in ("comment", "tex"):
                inner.append(protected)
            continue
        match sign.kind:
            case "cloze":
                if opener := _opener(opened, sign):
                    hidden, behind = _hidden(text, opener, sign, moved, solid)
                    solid[bisect_left(solid, (opener.start,)) :] = [(opener.start, behind)]
                    last: Sign | None = None
                    while last is not opener:
                        index, last = opened.popitem()[1]
                    marks[index:] = [hidden]
                elif sign.opens:
                    key = _key(sign)
                    if key in opened and sign.partner is None:
                        if start >= line_end:
                            line_start, line_end = _line_round(text, start)
                            closing = _last_closing(signs, number, line_end)
                        if opened[key][1].start < line_start and closing.get(key, 0) > end:
                            index, above = opened.pop(key)
                            marks.insert(index, _unclosed(above, moved))
                            opened = {k: (n + (it.start > above.start), it) for k, (n, it) in opened.items()}
                    opened.setdefault(key, (len(marks), sign))
            case "separator":
                begin = moved(start)
                marks.append(Separator(begin, begin + end - start, sign.reversed))
            case "pipe":
                if opened:
                    _give_up(opened, marks, moved)  # no highlight runs from one cell into the next
                marks.append(Pipe(moved(start)))
            case "colons":
                marks.append(Colons(moved(start)))
            case "open":
                marks.append(Unclosed(moved(start), text[start:end]))
    if opened:
        _give_up(opened, marks, moved)
    return tuple(marks), tuple(inner)


def _line_round(text: str, place: int) -> tuple[int, int]:
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, end if end >= 0 else len(text)


def _last_closing(signs: Sequence[Sign], number: int, line_end: int) -> dict[object, int]:
    """Where the last mark that can close stands before the end of the line, of each kind, from a mark on."""
    found: dict[object, int] = {}
    while number < len(signs) and signs[number].start < line_end:
        if signs[number].closes:
            found[_key(signs[number])] = signs[number].start
        number += 1
    return found


def _give_up(opened: dict[object, tuple[int, Sign]], marks: list[Mark], moved: Callable[[int], int]) -> None:
    """Takes the first of the open cloze marks for one that is never closed, and forgets the others."""
    index, opener = next(iter(opened.values()))
    marks.insert(index, _unclosed(opener, moved))
    opened.clear()


def _unclosed(opener: Sign, moved: Callable[[int], int]) -> Unclosed:
    return Unclosed(moved(opener.start), _pattern(opener).opening)


def _pattern(sign: Sign) -> ClozePattern:
    assert sign.pattern is not None  # each cloze mark has one
    return sign.pattern


def _key(sign: Sign) -> object:
    """What an opening and a closing mark share: a pattern, or the place of the closing mark where it is known."""
    if sign.pattern not in (BOLD, CURLY):
        return sign.pattern
    return sign.partner if sign.opens else sign.start


def _opener(opened: dict[object, tuple[int, Sign]], sign: Sign) -> Sign | None:
    """The open mark that `sign` closes, with something in between."""
    if not sign.closes:
        return None
    _, opener = opened.get(_key(sign), (0, None))
    return opener if opener and opener.end < sign.start else None


def _hidden(
    text: str, opener: Sign, closer: Sign, moved: Callable[[int], int], solid: Sequence[tuple[int, int]]
) -> tuple[Hidden, int]:
    """The closed mark, and where it ends in the text; in the `solid` stretches no field ends."""
    separator, most = ("::", 1) if opener.group else (_pattern(opener).separator, 2)
    start, stop = opener.end, closer.start
    fields: list[tuple[int, int]] = []
    while True:
        cut = _find_outside(separator, text, start, stop, solid) if len(fields) < most else -1
        fields.append((moved(start), moved(cut if cut >= 0 else stop)))
        if cut < 0:
            break
        start = cut + len(separator)
    if not text.startswith(("[^", "^["), closer.end):
        return Hidden(moved(opener.start), moved(closer.end), tuple(fields), opener.group, None), closer.end
    footnotes = _FOOTNOTES.match(text, closer.end)
    assert footnotes  # it can match nothing at all
    hint = (moved(footnotes.start(2)), moved(footnotes.end(2))) if footnotes[2] is not None else None
    group = opener.group or footnotes[1] or footnotes[3]
    return Hidden(moved(opener.start), moved(footnotes.end()), tuple(fields), group, hint), footnotes.end()


def _find_outside(separator: str, text: str, start: int, stop: int, solid: Sequence[tuple[int, int]]) -> int:
    found = text.find(separator, start, stop)
    while found >= 0:
        above = bisect_left(solid, (found + 1,)) - 1
        if above < 0 or solid[above][1] <= found:
            break
        found = text.find(separator, solid[above][1], stop)
    return found

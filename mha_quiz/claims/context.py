"""What a note has fixed: n = 10, d_model = 512, h = 8, and where that holds."""

import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from mha_quiz.amounts import Amount, amount
from mha_quiz.claims.chains import Chain
from mha_quiz.claims.doubts import follows_number
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.terms import QUANTITIES, Name, Number, Quotient, Term, Unreadable, Vector, bare
from mha_quiz.claims.values import MinusInfinity, Value, evaluate


@dataclass(frozen=True, slots=True)
class Setting:
    name: str
    value: Value
    passage: Passage
    offset: int
    end: int
    stated: Number | None = None
    """The value as it is written, if it is written as a plain number."""


def position(setting: Setting) -> tuple[int, int]:
    return setting.passage.number, setting.offset


@dataclass(eq=False)
class Context:
    """All settings of a note; asked for the one that holds at some place."""

    settings: list[Setting] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    _values: dict[str, set[Value]] = field(default_factory=lambda: defaultdict(set))
    _first: dict[str, Setting] = field(default_factory=dict)
    _latest: dict[tuple[str, tuple[int, ...]], list[Setting]] = field(default_factory=lambda: defaultdict(list))

    _own: dict[tuple[str, int], list[Setting]] = field(default_factory=lambda: defaultdict(list))
    """Of a name in a passage, in order."""
    _told: dict[str, list[Setting]] = field(default_factory=lambda: defaultdict(list))
    """Of a name, in order."""
    _several: set[tuple[str, int]] = field(default_factory=set)
    """Names to which a passage gives two values."""

    def add(self, setting: Setting) -> None:
        self.settings.append(setting)
        self.names.add(setting.name)
        self._latest[setting.name, setting.passage.scope].append(setting)
        insort(self._told[setting.name], setting, key=position)
        key = (setting.name, setting.passage.number)
        own = self._own[key]
        if own and own[0].value != setting.value:
            self._several.add(key)
        insort(own, setting, key=attrgetter("offset"))
        if setting.passage.role != "cell":  # the rows of a table are settings of their own
            values = self._values[setting.name]
            if len(values) < MANY:
                values.add(setting.value)
            self._first.setdefault(setting.name, setting)

    def extend(self, settings: Iterable[Setting]) -> None:
        for setting in settings:
            self.add(setting)

    def nearest(self, name: str, passage: Passage, offset: int) -> Setting | None:
        """The setting in the passage itself, else the last one before it under the same or an outer heading, else the
        only value the note gives to the name. None if there is no such one, or if the passage gives two."""
        if name not in self.names:
            return None
        key, scope = (name, passage.number), passage.scope
        own = self._own.get(key)
        if own and key in self._several:
            return _of_several(own, passage.text, offset)
        if own and not _is_supposed_later(own[0], passage.text, offset):
            return own[-1]
        while True:
            found = self._latest.get((name, scope), ())
            if (index := _count_before(found, passage.number)) > 0:
                return found[index - 1]
            if not scope:
                break
            scope = scope[:-1]
        return self._first[name] if len(self._values.get(name, ())) == 1 and not own else None

    def told_before(self, name: str, passage: Passage, offset: int) -> Sequence[Setting]:
        """The latest settings of the name in passages above, and in this one as far as the place."""
        told = self._told.get(name, [])
        count = bisect_left(told, (passage.number, offset), key=position)
        return told[max(0, count - MANY) : count]

    def is_set_in(self, name: str, passage: Passage) -> bool:
        """Whether the passage itself gives the name a value, or several."""
        return bool(self._own.get((name, passage.number)))

    def alternatives(self, name: str) -> frozenset[Value]:
        """All values that the note gives to the name; of many, the first."""
        return frozenset(self._values.get(name, ()))


MANY = 40
_NEW_THOUGHT = re.compile(r"\n|[.;:!?](?:\s|$)")
_FOR = re.compile(
    r"([,;:]\s+|\band\s+|\baur\s+)?\b(?:for|at|with|where|if|when|agar|jab)\s+\$?\s*$|\(\$?$", re.IGNORECASE
)


def _of_several(own: Sequence[Setting], text: str, offset: int) -> Setting | None:
    """Of settings in one passage the last one before; in a line without one, `… = 36 for n = 8` that stands behind."""
    before_count = bisect_left(own, offset, key=attrgetter("offset"))
    behind_count = bisect_right(own, offset, key=attrgetter("offset"))
    before = own[before_count - 1] if before_count else None
    behind = own[behind_count] if behind_count < len(own) else None
    if behind is None or _NEW_THOUGHT.search(text, offset, behind.offset):
        return before
    said = _FOR.search(text, max(offset, behind.offset - 20), behind.offset)
    if before is not None and not _NEW_THOUGHT.search(text, before.end, offset):  # n = 8: n² = 64, for n = 9: n² = 81
        return behind if said and not said[1] else before
    return behind if said else before


_SUPPOSED = re.compile(
    r"\b(?:if|when|suppose|instead|were|would|now|then|agar|jab|ab|phir|maano|doubl\w*|halv\w*|chang\w*|becomes?|kar d\w+)\b",
    re.IGNORECASE,
)


def _is_supposed_later(first: Setting, text: str, offset: int) -> bool:
    """Whether a later sentence gives the name its value, as another one: `When d_v = 32 instead`."""
    if first.offset < offset or not (ends := list(_NEW_THOUGHT.finditer(text, offset, first.offset))):
        return False
    behind = _NEW_THOUGHT.search(text, first.end)
    return _SUPPOSED.search(text, ends[-1].end(), behind.start() if behind else len(text)) is not None


def _count_before(found: Sequence[Setting], number: int) -> int:
    return bisect_left(found, number, key=lambda setting: setting.passage.number)


def settings_of(chain: Chain, passage: Passage) -> Iterator[Setting]:
    """The names that the chain gives a value: `d_k = d_v = 512/8 = 64` gives two, `d_model / h = 512 / 8` as well."""
    if not chain.names or follows_number(passage.text, chain.start):
        return
    yield from _of_quotients(chain, passage)
    names = [side.text for side in map(_bare, chain.sides) if isinstance(side, Name) and _settable(side.text)]
    if not names:
        return
    values = list(_values(chain.sides))
    stated = next((side for side in map(_bare, chain.sides) if isinstance(side, Number)), None)
    if values:
        value = max(
            values, key=values.count
        )  # the first, unless the others agree: a root may be lost in 16/64 = 16/8 = 2
        for name in names:
            yield Setting(name, value, passage, chain.start, chain.end, stated)


def _of_quotients(chain: Chain, passage: Passage) -> Iterator[Setting]:
    sides = [side for side in map(_bare, chain.sides) if isinstance(side, Quotient)]
    named = next((side for side in sides if {_bare(side.top), _bare(side.bottom)} <= _QUANTITIES), None)
    if named is None:
        return
    for side in sides:
        match _bare(side.top), _bare(side.bottom):
            case Number() as top, Number() as bottom if top.value % bottom.value == 0:
                for name, number in ((named.top, top), (named.bottom, bottom)):
                    assert isinstance(name, Name)
                    yield Setting(name.text, amount(number.value), passage, chain.start, chain.end, number)


_QUANTITIES = frozenset(map(Name, QUANTITIES))


def _bare(side: Term | None) -> Term | None:
    return side and bare(side)


def _settable(name: str) -> bool:
    return name not in ("e", "π", "∞", "R", "T")


def _values(sides: Iterable[Term | None]) -> Iterator[Value]:
    for side in sides:
        if side is None or isinstance(side, Name):
            continue
        try:
            value = evaluate(side)
        except Unreadable:
            continue
        if isinstance(value, MinusInfinity) or (isinstance(value, tuple) and not isinstance(bare(side), Vector)):
            continue
        yield value


def whole(value: Value | None) -> int | None:
    """A value that is a positive whole number."""
    match value:
        case Amount(number, exact=True) if number > 0 and number.denominator == 1:
            return int(number)
    return None

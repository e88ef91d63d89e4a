"""What counts in a list: 3, III, three, third, teesra, c."""

from collections.abc import Sequence

_COUNTS = (
    "one two three four five six seven eight nine ten eleven twelve",
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    "i ii iii iv v vi vii viii ix x xi xii",
    "a b c d e f g h",
    "ek do teen char paanch chhe saat aath nau das",
    "pehla doosra teesra chautha paanchwa chhatha saatwa aathwa",
    "pehle doosre teesre chauthe paanchwe chhathe saatwe aathwe",
)
_LONGEST = 640
"""Digits of a number that Python reads whatever its limit is; one of more digits counts nothing."""
_ORDINALS = {word: at for line in _COUNTS for at, word in enumerate(line.split(), start=1)}


def ordinal(word: str) -> int | None:
    """The place in a list that a word of a reading may name."""
    if word.isdecimal():
        return int(word) if len(word) <= _LONGEST else None
    return _ORDINALS.get(word.casefold())


def frame(words: Sequence[str]) -> tuple[str, ...]:
    """The words, with a gap for each that may name a place in a list."""
    return tuple("" if ordinal(word) is not None else word for word in words)

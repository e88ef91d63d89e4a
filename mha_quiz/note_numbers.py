"""The numbers that a note uses, such as the n = 10, d_model = 512, h = 8 of its worked example."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from cards.model import Place
from cards.settings import Settings
from mha_quiz.claims.checking import settings_of_note
from mha_quiz.claims.context import whole
from mha_quiz.claims.passages import Passage, Reading, TableRows
from mha_quiz.claims.plain_signs import whole_number
from mha_quiz.note_questions import Found
from mha_quiz.sized import Sizes

_NAMES = {"d_model": "d", "d": "d", "h": "h", "#heads": "h", "n": "n", "#tokens": "n"}
_EXAMPLE = re.compile(r"example|udaharan|walkthrough", re.IGNORECASE)

_WORDS = {
    "d": r"d_?\{?(?:\\(?:text|mathrm)\{)?model\}{0,2}|(?:model|hidden|embedding) (?:dimension|size|width)"
    r"|embed_dim|hidden_size|n_embd",
    "h": r"(?:num|n)_heads?|nhead|number of (?:attention )?heads|heads ki ginti|heads(?=\W{0,3}[:=])",
    "n": r"seq_?len|(?:sequence|context) length|number of tokens|tokens(?=\W{0,3}[:=])",
}
_NUMBER = r"(\d{1,3}(?:,\d{3}){1,2}|\d{1,9})(?!,?\d|\.\d|[`$]?\s*(?:[-+*/×·^%]|\\times|\\cdot|\\div))"
_STATED = {
    letter: re.compile(
        rf"(?<![\w\\])(?:{words})[\s`$*]{{0,3}}(?:=|:|is|of|ki value)?[\s`$*]{{0,3}}{_NUMBER}", re.IGNORECASE
    )
    for letter, words in _WORDS.items()
}
"""A name and its number, as words or code say it: `d_model: 512`, `hidden size 512`, `d_model 512 hai`."""
_CELL = {
    letter: re.compile(rf"{bare}|{words}", re.IGNORECASE)
    for (letter, words), bare in zip(_WORDS.items(), ("d", r"h|(?:attention )?heads", "n|tokens"), strict=True)
}
_CALL = re.compile(r"MultiheadAttention\(\s*(?:embed_dim\s*=\s*)?(\d{1,9})\s*,\s*(?:num_heads\s*=\s*)?(\d{1,9})\b")


def settings_in(text: str, path: str, settings: Settings, *, page: bool) -> tuple[Found, ...]:
    """The layers whose sizes the note gives, worked examples first, each set of numbers once.

    Numbers belong together if they stand in one table or one piece of code, under the same heading or in the same box
    (there in the same paragraph, if it gives several layers), or if the note has no others.
    """
    reading, found = settings_of_note(text, path, settings, page=page)
    scopes: dict[tuple[int, ...], list[_Size]] = {}
    for setting in found:
        letter, size = _NAMES.get(setting.name), whole(setting.value)
        if letter and size and setting.passage.role != "cell":
            told = _size(reading, letter, size, setting.passage, setting.offset, setting.name.startswith("#"))
            scopes.setdefault(setting.passage.scope, []).append(told)
    for told, scope in _stated(reading):
        scopes.setdefault(scope, []).append(told)
    layers = [(scope, layer) for scope, sizes in scopes.items() for layer in _layers(sizes)]
    layers.sort(key=lambda entry: (not _is_example(reading, entry[0]), entry[1].sizes.n is None))
    kept: dict[Sizes, Found] = {}
    for layer in (*(layer for _, layer in layers), *_in_tables(reading), *_in_code(reading)):
        kept.setdefault(layer.sizes, layer)
    whole_layers = {(sizes.d, sizes.h) for sizes in kept if sizes.n}
    several = tuple(it for it in kept.values() if it.sizes.n or (it.sizes.d, it.sizes.h) not in whole_layers)
    everything = [size for sizes in scopes.values() for size in sizes]
    if not several and all(len({size.number for size in everything if size.letter == letter}) == 1 for letter in "dh"):
        several = tuple(filter(None, (_layer(everything),)))
    return several


@dataclass(frozen=True, slots=True)
class _Size:
    letter: str
    number: int
    in_words: bool
    """`8 heads` in place of `h = 8`."""
    running: bool
    """In the running text, not in a title."""
    passage: int
    place: Place


def _size(reading: Reading, letter: str, number: int, passage: Passage, offset: int, in_words: bool = True) -> _Size:
    running = passage.role in ("text", "item")
    return _Size(letter, number, in_words, running, passage.number, reading.place(passage, offset))


def _is_example(reading: Reading, scope: Iterable[int]) -> bool:
    return any(_EXAMPLE.search(reading.titles[each]) for each in scope)


def _stated(reading: Reading) -> Iterator[tuple[_Size, tuple[int, ...]]]:
    """What words and code in the running text say, each with its scope."""
    for passage in reading.passages:
        if passage.role == "cell":
            continue
        text = reading.source.text
        lines = zip(passage.starts, passage.text.split("\n"), strict=True)
        shown = "\n".join(text[start : start + len(line)] for (_, start), line in lines)  # with its code
        for letter, pattern in _STATED.items():
            for match in pattern.finditer(shown):
                yield _size(reading, letter, whole_number(match[1]), passage, match.start()), passage.scope


def _in_tables(reading: Reading) -> Iterator[Found]:
    """Layers of tables with a row for each size, or a column for each."""
    for table in reading.tables:
        rows = [row for row in zip(table.rows, table.passages, strict=True) if len(row[0]) == len(table.header)]
        if len(table.header) == 2 and (layer := _layer(list(_named_rows(reading, table)))):
            yield layer
        letters = [_letter(cell) for cell in table.header]
        for cells, passage in rows:
            sizes = [
                _size(reading, letter, whole_number(cell), passage, 0)
                for letter, cell in zip(letters, cells, strict=True)
                if letter and re.fullmatch(_NUMBER, cell)
            ]
            if layer := _layer(sizes):
                yield layer


def _named_rows(reading: Reading, table: TableRows) -> Iterator[_Size]:
    for row, passage in zip((table.header, *table.rows), (table.first, *table.passages), strict=True):
        if len(row) == 2 and (letter := _letter(row[0])) and re.fullmatch(_NUMBER, value := row[1].strip("$` ")):
            yield _size(reading, letter, whole_number(value), passage, 0)


def _letter(cell: str) -> str | None:
    return next((letter for letter, pattern in _CELL.items() if pattern.fullmatch(cell.strip("$`* "))), None)


def _in_code(reading: Reading) -> Iterator[Found]:
    """Layers of calls of `nn.MultiheadAttention`, and of blocks of code that give the names their numbers."""
    text = reading.source.text
    for call in _CALL.finditer(text):
        if (sizes := Sizes(int(call[1]), int(call[2]))).possible:
            yield Found(sizes, reading.source_place(call.start()))
    for start, end in reading.code:
        sizes_there = [
            _Size(letter, whole_number(match[1]), True, True, 0, reading.source_place(match.start()))
            for letter, pattern in _STATED.items()
            for match in pattern.finditer(text, start, end)
        ]
        if layer := _layer(sizes_there):
            yield layer


def _layers(sizes: Sequence[_Size]) -> list[Found]:
    """What the sizes of one scope make: one layer, or those of its paragraphs where these differ."""
    together = _layer(sizes)
    passages: dict[int, list[_Size]] = {}
    for size in sizes:
        passages.setdefault(size.passage, []).append(size)
    alone = [size for own in passages.values() if {size.letter for size in own} == {"n"} for size in own]
    parts: dict[Sizes, Found] = {}
    for own in passages.values():
        if (layer := _layer(own)) and (with_tokens := layer if layer.sizes.n else _layer([*own, *alone[:1]])):
            parts.setdefault(with_tokens.sizes, Found(with_tokens.sizes, layer.place))
    if together and len(parts) < 2:
        return [together]
    return list(parts.values())


def _layer(sizes: Sequence[_Size]) -> Found | None:
    """What the sizes make together, those in letters before those in words; None if that is no layer of several heads."""
    first: dict[str, int] = {}
    for size in sorted(sizes, key=lambda size: size.in_words):
        if size.letter != "n" or size.number > 1:
            first.setdefault(size.letter, size.number)
    if not {"d", "h"} <= first.keys():
        return None
    layer = Sizes(first["d"], first["h"], first.get("n"))
    used = [size for size in sizes if first.get(size.letter) == size.number]
    return Found(layer, min(used, key=lambda size: (not size.running, size.place)).place) if layer.possible else None

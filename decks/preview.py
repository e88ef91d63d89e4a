"""The cards as Anki will show them, as one HTML page that needs neither Anki nor a network nor a script."""

import html
import mimetypes
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from cards.kinds import counted
from cards.model import Problem
from cards.tex import is_shown
from decks import note_types
from decks.apkg import Note
from decks.build import Planned
from decks.mathml import mathml
from decks.removed import TAG
from decks.reviewer import MATH, TYPED, sides

_LARGEST = 8 * 2**20
"""Bytes of a picture or sound that is put into the page."""
_MOST = 500_000
"""Characters that the cards of one note repeat; the others are counted."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src data:; font-src data:"
_MEDIA = re.compile(r'<img src="([^"]+)"([^>]*)>|\[sound:([^]]+)\]')
_NIGHT = re.compile(r"\.card\.nightMode[^{]*\{(.*?)\}", re.DOTALL)
_KINDS = {"Card": "", "Reverse": "reversed", "Cloze": "cloze", "Number": "answer to type"}
_TYPES = mimetypes.MimeTypes()
"""Those that Python knows, on any machine the same."""


def write_preview(planned: Planned, problems: Sequence[Problem], out: Path) -> None:
    """Write the page to `out`: the problems, then each card of the planned notes, front and back, deck by deck.

    The same notes give the same bytes. Raises `OSError` if a file cannot be read or written; `out` then is as it was.
    """
    page = "".join(_page(planned, problems)).encode()
    out = out.resolve()
    temporary = out.with_name(f".{out.name}.tmp")
    try:
        temporary.write_bytes(page)
        temporary.replace(out)
    finally:
        temporary.unlink(missing_ok=True)


def _page(planned: Planned, problems: Sequence[Problem]) -> Iterator[str]:
    decks = _decks(planned.notes)
    text = "".join(
        part for number, (deck, notes) in enumerate(decks.items()) for part in _deck(number, deck, notes, planned.media)
    )
    notes = sum(map(len, decks.values()))
    count = f"{counted(notes, 'note')}, {counted(sum(len(n.cards) for of in decks.values() for n in of), 'card')}"
    yield f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{count}</title>\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="color-scheme" content="light dark">\n'
    yield f"<style>\n{_style(with_font='<math' in text)}</style>\n</head>\n<body>\n"
    yield f"<header>\n<h1>Cards as Anki will show them</h1>\n<p>{count} in {counted(len(decks), 'deck')}</p>\n"
    if len(decks) > 1:
        yield f"<nav>\n{''.join(_links(decks))}</nav>\n"
    yield "</header>\n"
    if problems:
        yield from _problems(problems)
    yield f"<main>\n{text}</main>\n</body>\n</html>\n"


def _style(*, with_font: bool) -> str:
    css = note_types.basic().css
    night = _NIGHT.search(css)
    assert night  # the style of the cards has one
    parts = [css, f"@media (prefers-color-scheme: dark) {{ .card {{{night[1]}}} }}\n"]
    parts.append(files("decks").joinpath("templates", "preview.css").read_text("utf-8"))
    if with_font:
        font = b64encode(files("decks").joinpath("fonts", "mathematics.woff2").read_bytes()).decode()
        parts.append(f"@font-face {{ font-family: mathematics; src: url(data:font/woff2;base64,{font}) }}\n")
    return "".join(parts)


def _decks(notes: Iterable[Note]) -> Mapping[str, list[Note]]:
    """The notes of each deck, in the order in which Anki lists decks."""
    decks: dict[str, list[Note]] = {}
    for note in notes:
        if TAG not in note.tags:
            decks.setdefault(note.deck, []).append(note)
    return dict(sorted(decks.items(), key=lambda deck: deck[0].casefold().split("::")))


def _links(decks: Mapping[str, Sequence[Note]]) -> Iterator[str]:
    for number, (deck, notes) in enumerate(decks.items()):
        yield f'<a href="#deck{number}">{_deck_name(deck)} <span>{len(notes)}</span></a>\n'


def _problems(problems: Sequence[Problem]) -> Iterator[str]:
    yield f'<section class="problems">\n<h2>{counted(len(problems), "problem")} in the notes</h2>\n<ul>\n'
    for problem in problems:
        yield f"<li><code>{html.escape(str(problem.place))}</code> {html.escape(problem.message)}</li>\n"
    yield "</ul>\n</section>\n"


def _deck(number: int, deck: str, notes: Sequence[Note], media: Mapping[str, Path]) -> Iterator[str]:
    yield f'<section class="deck">\n<h2 id="deck{number}">{_deck_name(deck)}</h2>\n'
    for note in notes:
        most = max(2, _MOST // max(map(len, note.fields)))
        for card in note.cards[:most]:
            yield from _card(note, card, media)
        if left := len(note.cards[most:]):
            yield f'<p class="labels"><span>{counted(left, "more card")} of this note</span></p>\n'
    yield "</section>\n"


def _card(note: Note, card: int, media: Mapping[str, Path]) -> Iterator[str]:
    front, back = sides(note, card)
    answer = f"<code>{note.fields[2]}</code>" if note.note_type is note_types.number() else ""  # others show it anyway
    front, back = TYPED.sub("<input disabled>", front), TYPED.sub(answer, back).replace(' id="answer"', "")
    front, back = (_with_media(_with_math(side), media) for side in (front, back))
    template = note.note_type.templates[0 if note.note_type.is_cloze else card]
    kind = _KINDS[template.name] + (f" {card + 1}" if note.note_type.is_cloze else "")
    labels = [kind] if kind else []
    labels += [f"#{tag.replace('::', '/')}" for tag in note.tags]
    yield "<article>\n"
    if labels:
        yield f'<p class="labels">{" ".join(f"<span>{html.escape(label)}</span>" for label in labels)}</p>\n'
    yield f'<div class="card front">\n{front}</div>\n<div class="card back">\n{back}</div>\n</article>\n'


def _with_math(side: str) -> str:
    def shown(found: re.Match[str]) -> str:
        display = found[2] is not None
        source = html.unescape(re.sub("<!--.*?-->", "", found[2] if display else found[1])).strip()
        formula = mathml(source, display=display) if is_shown(source) else None
        if formula is None:
            formula = f'<code class="tex{"" if is_shown(source) else " unknown"}">{html.escape(source)}</code>'
        return f'<div class="formula">{formula}</div>' if display else formula

    return MATH.sub(shown, side)


def _with_media(side: str, media: Mapping[str, Path]) -> str:
    def shown(found: re.Match[str]) -> str:
        name = found[1] or found[3]
        content = media[name].read_bytes()
        if len(content) > _LARGEST:
            return f'<span class="missing">{name}</span>'
        type_ = str(_TYPES.guess_type(name)[0])
        address = f"data:{type_};base64,{b64encode(content).decode()}"
        if found[1]:
            return f'<img src="{address}"{found[2]}>'
        element = "video" if type_.startswith("video/") else "audio"
        return f'<{element} controls src="{address}"></{element}>'

    return _MEDIA.sub(shown, side)


def _deck_name(deck: str) -> str:
    return html.escape(deck.replace("::", " › "))

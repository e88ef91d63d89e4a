"""Numeric questions in the deck: one type-in card a family, in a sub-deck of their own.

The questions are read from `numbers.json`, made and verified beforehand, so that a build computes nothing.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from cards.lock import Lock, LockedNumber
from cards.model import Card, Language
from cards.sides import sides
from decks import html, note_types
from decks.apkg import Note
from decks.stored import Stored, fingerprint

DECK = "Numbers"
_SUBJECTS = tuple(
    re.compile(pattern)  # one by one, each is found by how it begins
    for pattern in (
        r"(?:multi-?head|self|cross|dot-product)[ -]attention",
        r"attention[ -](?:head|layer|mechanism|score|weight)",
        r"d_\{?(?:\\\w+\{)?model",
    )
)
"""In small letters, what only notes on the subject of the numbers name; attention alone may be a nurse's."""
_GUID = "mha-quiz-number-"
_TAG = "mha-quiz::numbers::"
_SOLUTION = {Language.EN: "Solution", Language.HINGLISH: "Hal"}
_SLIPS = {Language.EN: "Typical wrong answers", Language.HINGLISH: "Aam galat jawab"}


@dataclass(frozen=True, slots=True)
class Told:
    """A question in one language; plain text, with code between backticks."""

    title: str
    question: str
    typing: str
    """How to type the answer so that Anki finds it equal."""
    also_right: str
    """Other ways to write it; may be empty."""
    solution: tuple[str, ...]
    """Line by line."""
    slips: tuple[str, ...]
    """Typical wrong answers, each with its reason."""


@dataclass(frozen=True, slots=True)
class Number:
    family: str
    """Its id, which is also the lasting name of the note."""
    theme: str
    answer: str
    """As it is typed."""
    told: Mapping[Language, Told]


@dataclass(frozen=True, slots=True)
class Renewed:
    """What became of the numbers since the last build."""

    new: int = 0
    edited: int = 0
    unchanged: int = 0

    @property
    def all(self) -> int:
        return self.new + self.edited + self.unchanged


@cache
def numbers() -> tuple[Number, ...]:
    """All of them, in the order in which they are to be learned."""
    entries = json.loads(files("decks").joinpath("numbers.json").read_text("utf-8"))
    return tuple(
        Number(
            entry["family"],
            entry["theme"],
            entry["answer"],
            {
                language: Told(
                    told["title"],
                    told["question"],
                    told["typing"],
                    told["also_right"],
                    tuple(told["solution"]),
                    tuple(told["slips"]),
                )
                for language in Language
                for told in [entry["told"][language.value]]
            },
        )
        for entry in entries
    )


def wanted_numbers(wanted: bool | None, cards: Iterable[Card], lock: Lock) -> tuple[Number, ...]:
    """All or none; left open (`None`), all where a deck had them before or a card speaks of attention heads."""
    if wanted is None:
        wanted = bool(lock.numbers) or _are_on_attention(cards)
    return numbers() if wanted else ()


def _are_on_attention(cards: Iterable[Card]) -> bool:
    """Whether any of the cards is; all texts at once, each once, which is ten times as quick as one by one."""
    texts = {text for card in cards for text in (*sides(card.content), *card.heading)}
    said = "\n".join(texts).lower()
    return any(subject.search(said) for subject in _SUBJECTS)


def default_deck(decks: Iterable[str]) -> str:
    """Below the deck that holds all the decks of the notes, or beside them if there are several at the top."""
    tops = {deck.split("::")[0] for deck in decks}
    return "::".join([*tops, DECK]) if len(tops) == 1 else DECK


def notes(
    numbers: Sequence[Number], language: Language | None, remembered: Sequence[LockedNumber], deck: str, now: int
) -> tuple[tuple[Note, ...], tuple[LockedNumber, ...], Renewed]:
    """The notes in `language`, or in both; what to remember of them; and how many are new and edited.

    Like a card, a number that changed is dated `now`, or just after its last change if the clock went back.
    """
    before = {number.id: number for number in remembered}
    made, kept = [], dict(before)
    new = edited = 0
    for number in numbers:
        side, guid = stored(number, language), _GUID + number.family
        mark, last = fingerprint(side), before.get(guid)
        if last is None:
            new, changed = new + 1, now
        elif last.fingerprint != mark:
            edited, changed = edited + 1, max(now, last.changed + 1)
        else:
            changed = last.changed
        kept[guid] = LockedNumber(guid, deck, mark, changed)
        made.append(Note(guid, side.note_type, side.fields, side.cards, side.tags, deck, changed))
    return (
        tuple(made),
        tuple(number for _, number in sorted(kept.items())),
        Renewed(new, edited, len(made) - new - edited),
    )


def stored(number: Number, language: Language | None) -> Stored:
    """A number as Anki stores it."""
    languages = tuple(Language) if language is None else (language,)
    told = [number.told[each] for each in languages]
    fields = {
        "Answer": html.plain(number.answer),
        "Typing": _lines([it.typing for it in told]),
        "Also right": _lines([it.also_right for it in told]),
        "Context": html.plain(" · ".join([f"{DECK} › {number.theme}", *(it.title for it in told)])),
        "Source": html.plain(f"mha-quiz {number.family}"),
    }
    for each, it, second in zip(languages, told, ("", " (second language)"), strict=False):
        fields[f"Question{second}"] = _with_code(it.question)
        fields[f"Solution{second}"] = _listed(_SOLUTION[each], "ol", it.solution)
        fields[f"Slips{second}"] = _listed(_SLIPS[each], "ul", it.slips)
    note_type = note_types.number()
    ordered = tuple(fields.get(field.name, "") for field in note_type.fields)
    return Stored(note_type, ordered, (0,), (_TAG + number.theme,), ())


def _lines(texts: Sequence[str]) -> str:
    return "<br>".join(_with_code(text) for text in texts if text)


def _listed(title: str, tag: str, texts: Sequence[str]) -> str:
    items = "".join(f"<li>{_with_code(text)}</li>" for text in texts)
    return f'<div class="label">{title}</div><{tag}>{items}</{tag}>' if texts else ""


def _with_code(text: str) -> str:
    parts = [html.plain(part) for part in text.split("`")]
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))

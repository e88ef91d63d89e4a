"""Cards against the numbers that their notes state: none shows a claim that fails without a word about it.

Recomputing is slow and loads a lot, so a note is looked at only if it could state a number that one of its cards shows,
and what was found is remembered.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from cards.model import Card, Language, Note, Origin

if TYPE_CHECKING:
    from cards.collection import Collection
    from cards.remembered import Remembered
    from cards.settings import Settings

_SAYS_NUMBERS = re.compile(r"[\d²³½¼¾^√]|softmax|sqrt|\blog|\bln\b|\bexp\b", re.IGNORECASE)
"""Or laws of letters, such as `log(ab) = log a · log b`."""
_NAME = r"[A-Za-z](?:_(?:[A-Za-z]|\{(?:\\(?:text|mathrm)\{)?[A-Za-z]+\}?\}))?"
_MATRIX = r"[A-Za-z](?:[_^](?:[A-Za-z\d]|\{[A-Za-z\d,]+\}))*"
_CANNOT_FAIL = re.compile(
    r"(?<![×*·⋅∙$)\\])(?<![×*·⋅∙$)]\s)(?:(?<!\s\s)|(?<=\n\n))\$"
    rf"(?:{_NAME}\s*=\s*\d+|{_MATRIX}\s*\\in\s*\\mathbb\{{R\}}\^\{{(?:[A-Za-z_{{}}\s]|\\(?:times|text|mathrm)\b)+\}})"
    r"\$(?!\s*[×*·⋅∙$\\\d])"
)
"""A formula that only gives a name its whole number, or a matrix its shape in letters, and that no sign ties to more."""
_WIDTHS = tuple(map(re.compile, (r"model\}*\s*=\s*\d", r"\bh\s*=\s*\d|heads", r"d_(?:k|\{k\}|v|\{v\})\s*=\s*\d")))
"""A paragraph with all of them may give widths that do not fit one another."""
_SCALED = re.compile(r"\bdivided by (?:√d_k|\$\\sqrt\{?d_k\}?\$)(?=\s*[?.])")
"""What is said of the scores in every text on attention, and is right."""
_MARKS = r"""
    = ≈ ≃ ≅ ∈ ~ × @ -> → |- |: -| \approx \simeq \cong \doteq \equiv \in \times
    param weights entries byte flop macs multiply equal barabar divided root squared times
""".split()  # noqa: SIM905 - one word a string would fill the page
_FURTHER_MARKS = re.compile(
    r"softmax(?:\\[a-z]+|[^\w\\]|\\\W)*[(\[]"  # the formula of attention
    r"|\d\s?x\s*\d|\d ko \d|\d (?:plus|minus) \d|% of \d|\d ka square|\b(?:mac|sum|add|total|jod)|[kmgt]i?b\b"
    r"|causal|\bsplit|\bscal|dividing|varian|deviation|\bheads?\b|concat|\bfp\d|float\d|½|¼|¾"
)
_LISTS = re.compile(r"softmax|weight|score|logit|probab|matrix|\brow|shape|size|dimension|output|result|similar|dot")
_LISTED = re.compile(r"\.\d|\de-|\||\d\W*,\W*\d")
"""What a list or a table of numbers has, whose words are among `_LISTS`."""


@dataclass(frozen=True, slots=True)
class Failing:
    """A claim of a note that does not compute."""

    first: int
    """Its lines, counted from 1."""
    last: int
    text: str
    """As the note says it."""
    right: str


def checked(collection: "Collection", remembered: "Remembered | None" = None) -> "Collection":
    """The collection without the derived cards that show a claim which fails, and with a warning on the marked ones.

    What holds only under a condition, which `check` tells, gives no warning: a card is no place for the fine print.
    """
    shown: dict[str, list[Card]] = {}
    for card in collection.cards:
        shown.setdefault(card.place.path, []).append(card)
    failing = _failing_by_path(collection.notes, shown, remembered)
    if not failing:
        return collection
    from cards.collection import leave_out, replaced

    lines = {path: {line for it in found for line in range(it.first, it.last + 1)} for path, found in failing.items()}
    warned = {card: told for path, found in failing.items() for card, told in _warned(shown[path], found)}
    return replaced(leave_out(collection, lines), warned)


def _failing_by_path(
    notes: Sequence[Note], shown: Mapping[str, Sequence[Card]], remembered: "Remembered | None"
) -> dict[str, tuple[Failing, ...]]:
    from cards.collection import texts

    saying = [note for note in notes if any(_SAYS_NUMBERS.search(_text(card)) for card in shown.get(note.path, ()))]
    if not saying:
        return {}
    from cards.remembered import key_of, program

    stamp = b"" if remembered is None else program("cards", "mha_quiz")
    found = {}
    for note, text, settings in texts(saying):
        work_out = partial(_failing, text, note, settings)
        key = key_of("claims", stamp, text, repr((settings, note.page)))
        if told := work_out() if remembered is None else remembered.recall(key, work_out):
            found[note.path] = tuple(Failing(*it) for it in told)
    return found


def _failing(text: str, note: Note, settings: "Settings") -> tuple[tuple[int, int, str, str], ...]:
    """The failing claims as values that can be remembered."""
    if not may_claim(text, page=note.page):
        return ()
    from mha_quiz.claims import Verdict, check

    claims = check(text, note.path, settings, page=note.page)
    return tuple((it.place.line, it.last_line, it.text, it.right) for it in claims if it.verdict is Verdict.FAILS)


def may_claim(text: str, *, page: bool = False) -> bool:
    """Whether the text could state what can be recomputed; quick, and never False where a claim fails."""
    if any(all(width.search(paragraph) for width in _WIDTHS) for paragraph in re.split(r"\n\s*\n", text)):
        return True
    text = _SCALED.sub(" ", _CANNOT_FAIL.sub(" ", text)).lower()
    if page or not _states(text):  # a page breaks its paragraphs inside formulas
        return _states(text)
    paragraphs = ["", *re.split(r"\n\s*\n", text), ""]
    return any(map(_states, map("\n".join, pairwise(paragraphs))))


def _states(text: str) -> bool:
    """Whether there is a sign or a word by which numbers are stated; a search for each is quicker than one for all."""
    return bool(_SAYS_NUMBERS.search(text)) and (
        any(sign in text for sign in _MARKS)
        or bool(_FURTHER_MARKS.search(text))
        or bool(_LISTED.search(text) and _LISTS.search(text))
    )


def warning(failing: Failing, language: Language) -> str:
    """What a card tells of a claim that fails, as Markdown."""
    said, right = _quoted(failing.text), _quoted(failing.right)
    if language is Language.EN:
        return f"The note says {said}; computed: {right}"
    return f"Note mein likha hai {said}; hisaab se: {right}"


def _quoted(text: str) -> str:
    """On one line without the marks of a cloze, as a formula where it is one; else as code, which shows every sign."""
    line = " ".join(text.replace("$$", "$").replace("`", "").replace("==", "").split())
    if "$" in line and line.count("$") % 2 == 0:
        return line
    return f"${line}$" if line.startswith(("\\frac", "\\sqrt")) else f"`{line}`"


def _warned(cards: Sequence[Card], failing: Sequence[Failing]) -> Iterator[tuple[Card, Card]]:
    """The marked cards of one note that state a failing claim, without and with their warnings.

    The same few signs may be right elsewhere in the note, so a card answers only for what stands before the next card.
    """
    from cards import formulas

    marked = [card for card in cards if card.origin is not Origin.DERIVED]
    starts: list[int | None] = [*sorted({card.place.line for card in marked}), None]
    ends = dict(pairwise(starts))
    for card in marked:
        first, end = card.place.line, ends[card.place.line]
        shown = formulas.normalised(_text(card))
        told = [
            warning(it, card.language)
            for it in failing
            if it.last >= first
            and (end is None or it.first < end)
            and any(formulas.normalised(part.replace("==", "")) in shown for part in it.text.split(" … "))
        ]
        if told:
            yield card, card._replace(warnings=tuple(dict.fromkeys(told)))


def _text(card: Card) -> str:
    from cards.sides import sides

    return "\n".join(sides(card.content)[:2])

"""The tag `#type-in`: the learner types the answer. It stands before a question, beside a deck tag, or in the front
matter, and holds for those cards whose answers are one short line of words."""

import re
from collections.abc import Iterable, Sequence

from cards.model import Cloze, Content, Deletion, Reversed
from cards.sheet import Draft, Sheet
from cards.tags import is_deck_tag

TAG = "type-in"
_LONGEST = 60
"""Characters of an answer that is typed."""
_PLAIN = re.compile(r"[^\W\d_](?:[^\W_]|[ ,](?=[^\W_]))*")
"""Words in which no sign of Markdown stands."""
_WORDS = frozenset(("text", "text_special", "code_inline"))
_STYLES = frozenset(f"{name}_{end}" for name in ("strong", "em", "s", "mark", "link") for end in ("open", "close"))


def wants_typing(tags: Iterable[str]) -> bool:
    return any(tag.casefold() == TAG for tag in tags)


def may_be_typed(content: Content) -> bool:
    """Whether each answer of the card is one short line of words, without formulas, pictures and HTML."""
    match content:
        case Cloze(pieces):
            return all(_is_short(piece.answer) for piece in pieces if isinstance(piece, Deletion))
        case Reversed(front, back):
            return _is_short(front) and _is_short(back)
        case content:
            return _is_short(content.back)


def _is_short(text: str) -> bool:
    if _PLAIN.fullmatch(text):
        return len(text) <= _LONGEST
    from cards import markdown  # few cards ask for it

    match markdown.parse(text, inline=False):
        case [token] if token.type == "inline":
            parts = token.children or []
            said = "".join(part.content for part in parts)
            return all(part.type in _WORDS | _STYLES for part in parts) and 0 < len(said.strip()) <= _LONGEST
    return False


def tell_type_in(sheet: Sheet, drafts: Sequence[Draft]) -> None:
    """Problems for cards whose own tag asks for what cannot be done, and for tags that hold for no card."""
    if TAG not in sheet.source.text.casefold():
        return
    owned = set()
    for draft in drafts:
        if draft.own_tags and wants_typing(draft.own_tags):
            owned.add(sheet.source.line_of(draft.start))
            if not may_be_typed(draft.content):
                message = f"the answer is not one line of words, {_LONGEST} characters at most; it will not be typed"
                sheet.tell(draft.start, "not-typed", message)
    for line in sheet.tagged:
        names = [tag.name for tag in line.tags]
        if (
            wants_typing(names)
            and line.number not in owned
            and not any(is_deck_tag(name, sheet.settings) for name in names)
        ):
            stray = next(tag for tag in line.tags if wants_typing([tag.name]))
            message = f"#{TAG} holds for no card here; write it before the question or beside the deck tag"
            sheet.tell(stray.start, "stray-tag", message)

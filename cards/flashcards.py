"""The cards that the author of a note marked, and the problems with the marks."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter

from cards import front_matter, language
from cards.attached import attach, tell_equal_ids
from cards.clozes import cloze_drafts
from cards.deck_choice import DeckChooser, has_deck, note_tags
from cards.grammar import outline
from cards.inline_cards import Marked, Parted, inline_draft, parted_lines, tell_fields
from cards.lines import Line, lines_of
from cards.lookalikes import tell_lookalikes
from cards.model import Card, Language, Note, NoteHeading, Origin, Place, Problem, Schedule
from cards.multiline import MultilineReader
from cards.outline import Heading, Item, Listing, walk
from cards.separators import marker_lines, separator_lines
from cards.settings import Settings
from cards.sheet import Draft, Piece, Sheet
from cards.sides import plain_text
from cards.source import Source, normalized
from cards.type_in import may_be_typed, tell_type_in, wants_typing


@dataclass(frozen=True, slots=True)
class ReadNote:
    """A note with its cards, and its structure for whoever reads further cards off it."""

    note: Note
    cards: tuple[Card, ...]
    problems: tuple[Problem, ...]
    sheet: Sheet
    """Its lines and blocks."""
    taken: frozenset[int]
    """The lines of the cards, numbered from 0."""
    decks: DeckChooser
    """Says which deck a card that begins in some line lies in."""


def read_note(text: str, path: str, settings: Settings, *, everything: bool = False, folder: str = "") -> ReadNote:
    """Reads a Markdown note. With `everything` it needs no deck tag.

    `folder` is the note's folder below the one that holds the settings, with `/`; it names the deck where no tag does.
    """
    source = Source(path, normalized(text))
    matter, problems = front_matter.read(source.lines, path)
    if not matter.cloze:
        settings = replace(settings, cloze=())
    found = outline(source, settings, matter.line_count)
    sheet = Sheet(source, settings, found, lines_of(found))
    tags = note_tags(sheet.tagged, matter, settings)
    counts = not tags.ignored and (everything or "" in settings.deck_tags or has_deck(tags))
    drafts: list[Draft] = []
    schedules: Mapping[int, tuple[Schedule, ...]] = {}
    if counts:
        drafts, multiline, refused, fields = _drafts(sheet)
        schedules = attach(sheet, drafts, multiline, refused, fields)
        tell_equal_ids(sheet)
        tell_type_in(sheet, drafts)
        problems = (*problems, *found.problems, *sheet.problems)
    else:
        problems = () if tags.ignored else (*problems, *_untagged(sheet))
    taken = frozenset[int]().union(*[draft.lines for draft in drafts])
    decks = DeckChooser.of(tags, taken, folder)
    headings = tuple(_headings(sheet))
    title = matter.title or (headings[0].text if headings else None)
    spoken = language.of_file(
        source.text[source.starts[matter.line_count] :], path=path, declared=matter.language, title=title
    )
    levels = list(_levels(headings)) if drafts else []
    cards = [_card(draft, sheet, decks, levels, spoken, schedules.get(n, ())) for n, draft in enumerate(drafts)]
    cards.sort(key=attrgetter("place"))
    note = Note(path, title, spoken, headings, matter.twin, matter.derived, page=False, counts=counts)
    return ReadNote(note, tuple(cards), tuple(sorted(problems)), sheet, taken, decks)


def _drafts(sheet: Sheet) -> tuple[list[Draft], int, frozenset[int], frozenset[int]]:
    """All cards, how many of them (the first ones) have a separator line; the lines of separators that gave none, and
    those with fields."""
    separators, alone = separator_lines(sheet)
    markers = marker_lines(sheet)
    whole_lines = {*separators, *alone, *markers}
    in_lines, fields = parted_lines(sheet)
    parted = [each for each in in_lines if each.number not in whole_lines]  # `::::` is no `::`
    inline_lines = {n for each in parted for n in range(each.number, each.last + 1)}
    named: set[int] = set()
    if sheet.may_have_ids:
        for each in parted:
            if not sheet.find_id(each.last):  # found here, it shows in no answer round the line either
                below = sheet.below(each.last)
                named.update([below] if sheet.is_id_line(below) else ())
    if sheet.settings.fields == "dataview":
        tell_fields(sheet, fields)
    multiline = MultilineReader(sheet, separators, markers, inline_lines, named).read()
    separated = inline_lines.union(separators)
    inline = list(_inline(sheet, parted, separated, markers, multiline))
    drafts = [*multiline, *inline]
    taken = set[int]().union(*[draft.lines for draft in drafts])
    single = _single_items(sheet) if sheet.may_have_ids else frozenset[int]()
    if sheet.may_have_ids:
        _find_ids_below(sheet, drafts, taken, single, len(multiline))
    clozes = list(cloze_drafts(sheet, taken.union(markers, separators)))
    if sheet.may_have_ids:
        _find_ids_below(sheet, clozes, taken.union(*[draft.lines for draft in clozes]), single, 0)
    tell_lookalikes(sheet, alone, separators, separated, whole_lines)
    return [*drafts, *clozes], len(multiline), frozenset(separated - taken), frozenset(line.number for line in fields)


def _single_items(sheet: Sheet) -> frozenset[int]:
    """The starts of the list items that have no other beside them."""
    listings = (block for block in walk(sheet.outline.blocks) if isinstance(block, Listing))
    return frozenset(listing.items[0].start for listing in listings if len(listing.items) == 1)


def _find_ids_below(
    sheet: Sheet, drafts: Sequence[Draft], taken: set[int], single: AbstractSet[int], multiline: int
) -> None:
    """Gives the block ids below cards, of which the first so many have several lines, to these; and takes their lines."""
    for n, draft in enumerate(drafts):
        below = sheet.below(draft.last)
        if below < len(sheet.lines) and sheet.lines[below].kind == "blank":
            below = sheet.below(below)  # where an editor puts the id of a table, list or quote
            if not _may_be_named_behind_blank(sheet, draft, below, taken, single, is_multiline=n < multiline):
                continue
        if draft.block_id is None and sheet.is_id_line(below) and below not in taken:
            draft.block_id = sheet.find_id(below)
            draft.lines = (*draft.lines, below)
            taken.add(below)


def _may_be_named_behind_blank(
    sheet: Sheet, draft: Draft, below: int, taken: AbstractSet[int], single: AbstractSet[int], *, is_multiline: bool
) -> bool:
    """Whether a block id in the line may be the card's: below an answer, and below a quote or list of this card alone."""
    if below >= len(sheet.lines) or "^" not in sheet.source.lines[below]:
        return False
    mine, theirs = sheet.lines[draft.first].containers, sheet.lines[below].containers
    depth = next((n for n, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] is not pair[1]), len(theirs))
    if depth < len(mine):
        holder = mine[depth]
        if draft.last < holder.last or (isinstance(holder, Item) and holder.start not in single):
            return False
    elif is_multiline or not mine:
        return is_multiline
    else:
        holder = mine[-1]
    around = chain(reversed(range(holder.first, draft.first)), range(draft.first, min(holder.last, below) + 1))
    lines = frozenset(draft.lines)
    return not any(number in taken and number not in lines for number in around)


def _inline(
    sheet: Sheet, parted: Sequence[Parted], separated: set[int], markers: Sequence[int], multiline: Sequence[Draft]
) -> Iterator[Draft]:
    """The inline cards; the lines of other cards than their own do not join their backs."""
    if not parted:
        return
    lists: dict[int, Listing] = {}
    for block in walk(sheet.outline.blocks):
        if isinstance(block, Listing):
            lists.setdefault(block.items[0].first, block)
    within = ((line.item, line.indent) for number in separated if (line := sheet.lines[number]).item)
    items = {item.start for item, column in within if item and column > item.indent}
    owners = {number: draft for draft in multiline for number in draft.lines}
    marked = Marked(separated, frozenset(markers), items, lists, owners)
    for each in parted:
        if draft := inline_draft(each, sheet, marked):
            around = owners.get(draft.first)
            if around is not None and around.block_id == draft.block_id:
                around.block_id = None  # it stands behind what this card took along
            yield draft


def _untagged(sheet: Sheet) -> Iterator[Problem]:
    """The one problem of a note that has separators and no deck tag."""
    parted, _ = parted_lines(sheet)
    separators, _ = separator_lines(sheet)
    places = {each.number: each.separator.start for each in reversed(parted)}
    for number, (_, start) in separators.items():
        places.setdefault(number, start)
    if places:
        lines = "1 line with a separator was" if len(places) == 1 else f"{len(places)} lines with separators were"
        message = f"no deck tag, so {lines} not read; add a tag such as #flashcards, or use --all"
        yield Problem(sheet.source.place(min(places.values())), "untagged-note", message)


def _headings(sheet: Sheet) -> Iterator[NoteHeading]:
    for block in sheet.outline.blocks:
        if isinstance(block, Heading):
            number, start, end, _ = block.text.lines[0]
            if sheet.may_have_ids:
                sheet.find_id(number)
            if tags := sheet.lines[number].tags:
                text = sheet.take([Piece(start, end)], [(tag.start, tag.end, "") for tag in tags])
            else:
                text = sheet.taken(number, start, end) if start < end else ""
            yield NoteHeading(block.level, text, sheet.source.place_in(number, start))


def _levels(headings: Sequence[NoteHeading]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """For the line of each heading, numbered from 0, the headings that hold below it."""
    above: list[NoteHeading] = []
    for heading in headings:
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        yield heading.place.line - 1, tuple([outer.text for outer in above if outer.text])


def _card(
    draft: Draft,
    sheet: Sheet,
    decks: DeckChooser,
    levels: Sequence[tuple[int, tuple[str, ...]]],
    spoken: Language,
    schedule: tuple[Schedule, ...],
) -> Card:
    first = draft.lines[0]
    headings = _headings_above(first, levels) if levels else ()
    deck, tags = decks.choose(first, draft.own_tags)
    return Card(
        draft.content,
        Origin.FLASHCARD,
        _place(draft, sheet.lines[first], sheet),
        deck,
        tags,
        language.of_card(plain_text(draft.content), file=spoken, headings=headings),
        headings,
        schedule,
        draft.block_id,
        None,
        draft.in_line,
        bool(tags) and wants_typing(tags) and may_be_typed(draft.content),
    )


def _headings_above(line: int, levels: Sequence[tuple[int, tuple[str, ...]]]) -> tuple[str, ...]:
    index = bisect_left(levels, (line,))
    if index < len(levels) and levels[index][0] == line:
        return levels[index][1][:-1]  # the card is a heading itself, and the one before it may be as high
    return levels[index - 1][1] if index else ()


def _place(draft: Draft, line: Line, sheet: Sheet) -> Place:
    """The first character that is seen of the card, which begins in this line."""
    source, start = sheet.source, draft.start
    if start > line.end:  # the first line is an item without text
        line = sheet.lines[source.line_of(start)]
    if start >= line.end or source.text[start].isspace() or (line.text is not None and line.text.inner):
        text = source.text[start : line.end]
        if not text.strip():  # an item may begin with nothing but a line separator
            line = next((each for n in draft.lines if sheet.shown(each := sheet.lines[n]).strip()), line)
            start, text = line.start, source.text[line.start : line.end]
        if start < line.start:
            start += len(text) - len(text.lstrip())
        elif line.text is not None and (line.text.inner or text[0].isspace()):
            start = sheet.text_start(line, start, line.end)
    return source.place_in(line.number, start)

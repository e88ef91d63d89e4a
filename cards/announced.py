"""What a sentence that ends in a colon announces, and a heading right above a formula: enumerations and formulas."""

import re
from collections.abc import Iterator, Sequence

from cards import asking, topics
from cards.drafts import Draft, Script, lines_of
from cards.language import word_set
from cards.passages import FORMULA, Passage, Section, Words
from cards.symbols import is_law

_MOST_FORMULAS = 10
"""Passages below a sentence among which its formulas are sought."""

_LISTED = word_set("types kinds ways steps stages parts reasons properties components categories tareeke prakar hisse")
_NUMBERS = {
    3: word_set("three teen"),
    4: word_set("four char chaar"),
    5: word_set("five paanch"),
    6: word_set("six chhe chhah"),
    7: word_set("seven saat"),
}
"""For a list of so many items, the words that announce as many."""
_ANY_NUMBER = word_set("two eight nine ten").union(*_NUMBERS.values())
_TWO = re.compile(
    rf"\bdo (?:\w+ )?(?:{'|'.join(sorted(_LISTED))}|tarah|hain|hote|hoti)\b",
    re.IGNORECASE,  # `do` alone also means: give
)
_TARAH = re.compile(r"(?<!\bki )(?<!\bis )(?<!\bus )(?<!\bisi )\btarah (?:ke|ki|ka)\b", re.IGNORECASE)
_GOES_ON = word_set("and or aur ya being containing describing including")
"""Last words of a sentence that its list ends."""
_NO_CLAUSE = re.compile(r"(?:for|with|in|at|given)\b[^,]*|[^,]*\b(?:ke liye|mein)", re.IGNORECASE)
"""`For each head`, which does not say what of it."""
_STEP = re.compile(r"\b(?:we|you|one|it|this|which)(?: \w+){1,2} that\Z", re.IGNORECASE)
"""`Using the lemma, we see that`: a step of a proof, whose formula has no name."""
_CONDITION = re.compile(r"(?:when|if|since|because)\b(?!.*\bthen\b)[^,]*", re.IGNORECASE)
"""`When you have many variables`, which does not say what holds then."""
_EXPLAINS = re.compile(rf"(?:where|jahan|this|yeh|ye)\b|(?:here|yahan),? {FORMULA}", re.IGNORECASE)

_LETTERS = re.compile(r"[*_]*(?:where|jahan)\b[^.!?\n]{0,20}:[*_]*", re.IGNORECASE)
"""`Where:`, above the list of what the letters of a formula mean."""


def announced(script: Script, section: Section) -> Iterator[Draft | None]:
    """The enumerations and formulas of a section."""
    yield _formula_of_heading(script, section)
    for index, passage in enumerate(section.passages):
        if passage.role != "text" or not passage.free or passage.words is None:
            continue
        if sentence := _last_sentence(passage.words):
            below = section.passages[index + 1 : index + _MOST_FORMULAS]
            yield _enumeration(script, section, passage, sentence, below)
            yield _formula(script, section, passage, sentence, below)
        elif asking.introduces(passage.words.shown):
            yield _formula_of_label(
                script, section, passage.words, section.passages[index + 1 : index + _MOST_FORMULAS]
            )


def _enumeration(
    script: Script, section: Section, passage: Passage, sentence: Words, below: Sequence[Passage]
) -> Draft | None:
    items = below[0].items if below and below[0].free else ()
    count = len(items)
    if not 3 <= count <= 7 or not _names_parts(sentence.shown, count):
        return None
    if any(item.words is None or asking.is_quoted(item.words.shown) for item in items):
        return None
    return script.draft(
        "enumeration",
        section,
        sentence,
        script.passages(below[:1]),
        lines_of([passage, below[0]]),
        wording=(f"{{}}: which {count}?", f"{{}}: kaun se {count}?"),
        bind=True,
        start=script.sheet.lines[passage.first].start,
    )


def _names_parts(shown: str, count: int) -> bool:
    """Whether it says that parts, kinds or the like follow, or as many things as there are."""
    found = asking.words(shown)
    if not _NUMBERS[count].isdisjoint(found):
        return True
    if not _ANY_NUMBER.isdisjoint(found) or _TWO.search(shown):  # another number of things than there are
        return False
    if not _LISTED.isdisjoint(found):
        return True
    return _TARAH.search(shown) is not None or re.search(rf"(?<!\w){count} (?:\w+ )?\w+s\b", shown) is not None


def _last_sentence(words: Words) -> Words | None:
    """The last sentence of a text that ends in a colon, without the colon."""
    if not asking.introduces(words.shown):
        return None
    start, _ = list(asking.sentences(words.shown))[-1]
    sentence = asking.unmarked(words.cut(start, len(words.shown.rstrip(" :*_\n"))))
    if sentence is None:
        return None
    sentence = asking.without_leading(sentence)
    found = asking.words(sentence.shown)
    hangs = bool(found) and (found[0] in asking.GOING_ON or found[-1] in _GOES_ON or "above" in found)
    is_short = asking.length(sentence.shown) <= 6
    says_nothing = (is_short and _NO_CLAUSE.fullmatch(sentence.shown)) or _CONDITION.fullmatch(sentence.shown)
    return None if hangs or says_nothing or asking.length(sentence.shown) < 3 else sentence


def _formula(
    script: Script, section: Section, passage: Passage, sentence: Words, below: Sequence[Passage]
) -> Draft | None:
    answer = with_explanation(below)
    if not answer or _STEP.search(sentence.shown) or not is_law(script.passages(answer[:1])):
        return None
    return script.draft(
        "formula",
        section,
        sentence,
        script.passages(answer),
        lines_of([passage, *answer]),
        wording=("{} … which formula?", "{} … formula kya hai?"),
        bind=True,
        start=script.sheet.lines[passage.first].start,
    )


_OF_FORMULA = word_set("formula formulas formulae equation equations sutra")


def _formula_of_label(script: Script, section: Section, label: Words, below: Sequence[Passage]) -> Draft | None:
    """The formula below `Formula:`, or below a short name in bold letters, which stands there as a heading does."""
    shown = label.shown
    name = label.cut(len(shown) - len(shown.lstrip("*_")), len(shown.rstrip(" :*_\n")))
    answer = with_explanation(below)
    if not answer or asking.length(name.shown) > 2 or not is_law(script.passages(answer[:1])):
        return None
    names = script.above(section.headings)[-1:]
    generic = topics.says_nothing(name.shown, script.note.language)
    if not (names and _OF_FORMULA.issuperset(asking.words(name.shown)) if generic else shown.startswith("**")):
        return None
    own = names if generic else (*names, script.name(name))
    lines = [script.sheet.source.line_of(label.start), *lines_of(answer)]
    return script.draft(
        "formula",
        section,
        name,
        script.passages(answer),
        lines,
        wording=("which formula?", "formula kya hai?"),
        own=own,
        bind=False,
    )


def _formula_of_heading(script: Script, section: Section) -> Draft | None:
    answer = with_explanation(section.passages[:_MOST_FORMULAS])
    asks = bool(section.headings) and asking.ends_asking(section.headings[-1].shown)
    if not section.headings or asks or not section.free or not answer or not is_law(script.passages(answer[:1])):
        return None
    heading = topics.without_number(section.headings[-1])
    names = script.above(section.headings[:-1])
    generic = topics.says_nothing(heading.shown, script.note.language)
    if generic and not names:
        return None
    return script.draft(
        "formula",
        section,
        heading,
        script.passages(answer),
        [section.line, *lines_of(answer)],
        wording=("which formula?", "formula kya hai?"),
        own=(names[-1],) if generic else (script.name(heading),),
        bind=False,
    )


def _explains(shown: str) -> bool:
    """Whether it says what the letters of the formula above mean, and does not ask: `Where is it used?`"""
    start, end = next(asking.sentences(shown), (0, 0))
    asks = asking.ends_asking(shown[start:end])
    return _EXPLAINS.match(shown) is not None and not asks and not asking.introduces(shown)


def with_explanation(passages: Sequence[Passage]) -> Sequence[Passage]:
    """The formula on top, with the paragraph or list below it that says what its letters mean."""
    if not passages or passages[0].role != "formula" or not passages[0].free:
        return ()
    end = 1
    while end < len(passages) and passages[end].role == "formula" and passages[end].free:
        end += 1
    if end < len(passages) and passages[end].role == "text" and passages[end].free:
        words = passages[end].words
        if words is not None and _explains(words.shown):
            end += 1
        elif words is not None and _LETTERS.fullmatch(words.shown) and _is_list(passages[end + 1 : end + 2]):
            end += 2
    return passages[:end]


def _is_list(passages: Sequence[Passage]) -> bool:
    return bool(passages) and passages[0].role == "list" and passages[0].free

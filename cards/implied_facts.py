"""Facts that a note lays out: counts, connections, definitions, enumerations, formulas."""

import re
from collections.abc import Iterator, Sequence

from cards import asking
from cards.asking import word_set
from cards.drafts import Draft, Script, lines_of
from cards.passages import FORMULA, Passage, Role, Section, Words

_COUNTED = word_set("count counts parameter parameters complexity cost costs memory size sizes shape shapes flops")
_CONNECTED = word_set("connection connections related sambandh")
_DEFINED = word_set("definition definitions terms term vocabulary glossary terminology paribhasha")
_LISTED = word_set("types kinds ways steps stages parts reasons properties components categories tareeke prakar hisse")
_NUMBERS = {
    3: word_set("three teen"),
    4: word_set("four char chaar"),
    5: word_set("five paanch"),
    6: word_set("six chhe chhah"),
    7: word_set("seven saat"),
}
_TARAH = re.compile(r"(?<!\bki )(?<!\bis )(?<!\bus )(?<!\bisi )\btarah (?:ke|ki|ka)\b", re.IGNORECASE)
_EXPLAINS = re.compile(r"(?:where|jahan|this|yeh|ye)\b", re.IGNORECASE)


def stated(script: Script, section: Section, *, example: bool) -> Iterator[Draft | None]:
    """All facts of a section; `example`: it is a worked example, whose quantities are no facts."""
    if example:
        return
    heading = asking.words(section.headings[-1].shown) if section.headings else []
    asks = bool(section.headings) and section.headings[-1].shown.rstrip().endswith("?")
    if not _CONNECTED.isdisjoint(heading[:1]) and not asks:
        yield from _connections(script, section)
        return
    counts = not asks and not _COUNTED.isdisjoint(heading)
    if counts:
        yield from _counts(script, section)
    for index, passage in enumerate(section.passages):
        below = section.passages[index + 1 :]
        if not passage.free:
            continue
        if passage.role is Role.TEXT:
            yield _enumeration(script, section, passage, below)
            yield _formula(script, section, passage, below)
        elif passage.role is Role.FORMULA and index == 0 and not asks:
            yield _formula_of_heading(script, section)
        elif passage.role is Role.LIST and not script.page and not counts:
            yield from _terms(script, section, passage, heading)


# Counts


def _counts(script: Script, section: Section) -> Iterator[Draft | None]:
    group: Words | None = None
    for passage in section.passages:
        if passage.role is Role.TEXT and passage.words is not None and passage.free:
            group = _group(passage.words)
            yield _count(script, section, passage, None)
        elif passage.role is Role.LIST:
            for item in passage.items:
                if item.free:
                    yield _count(script, section, item, group)
            group = None
        else:
            group = None


def _group(words: Words) -> Words | None:
    """What the list below has in common, as a line that ends in a colon says."""
    if not asking.introduces(words.shown):
        return None
    start, _ = list(asking.sentences(words.shown))[-1]
    return asking.unmarked(words.cut(start, len(words.shown.rstrip(" :*_"))))


def _count(script: Script, section: Section, passage: Passage, group: Words | None) -> Draft | None:
    assert passage.words is not None
    found = asking.parted(passage.words)
    if found is None:
        return None
    key, value = found
    back = script.answer(value)
    if asking.length(key.shown) > 6 or asking.is_label(key.shown) or asking.introduces(value.shown):
        return None
    if not asking.has_formula(value.shown) or not _has_variable(back) or asking.asks_why(key.shown):
        return None
    own = (script.say(group),) if group is not None else ()
    heading = script.name(asking.without_number(section.headings[-1]))
    title = (script.title,) if script.title and script.title.casefold() not in heading.casefold() else ()
    return script.draft(
        "count",
        section,
        key,
        back,
        lines_of([passage]),
        wording=("{}?", "{}?"),
        own=(*title, heading, *own),
        bind=False,
    )


_NAME = re.compile(r"\\(?:text|mathrm|mathit|mathbf|operatorname\*?)\s*\{([^{}]*)\}")
_UNIT = re.compile(r"(?<=\d)(?:\\[,;: ]|[\s~])*\\(?:text|mathrm)\s*\{[^{}]*\}")
_GREEK = re.compile(
    r"\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|theta|lambda|mu|nu|pi|rho|sigma|tau|phi|varphi|chi|psi|omega|"
    r"Delta|Gamma|Omega|Sigma|Phi|Psi|Lambda|Theta)(?![A-Za-z])"
)
_COMMAND = re.compile(r"\\[A-Za-z]+")
_MATH = re.compile(r"\$\$?([^$]+)\$\$?")


def _symbols(text: str) -> set[str]:
    """What stands for something in the formulas of a card's text: letters and names, but no units."""
    tex = _UNIT.sub(" ", " ".join(_MATH.findall(text)))
    names = {name.strip() for name in _NAME.findall(tex)} | set(_GREEK.findall(tex))
    letters = _COMMAND.sub(" ", _NAME.sub(" ", tex))
    return names | {char for char in letters if char.isalpha()}


def _has_variable(text: str) -> bool:
    """Whether a formula says more than numbers: those are worked out, and the quiz asks them."""
    return bool(_symbols(text))


# Connections


def _connections(script: Script, section: Section) -> Iterator[Draft | None]:
    for passage in section.passages:
        for item in passage.items if passage.role is Role.LIST else ():
            if item.free:
                yield _connection(script, section, item)


def _connection(script: Script, section: Section, item: Passage) -> Draft | None:
    assert item.words is not None
    found = asking.parted(item.words, dash=True)
    if found is None or not script.title:
        return None
    name, text = found
    called = script.name(name)
    if asking.length(name.shown) > 8 or called.casefold() == script.title.casefold() or _hangs(text.shown):
        return None
    wording = (
        f"How is {called} connected to {script.title}?",
        f"{called} ka {script.title} se kya connection hai?",
    )
    return script.draft("connection", section, name, script.answer(text), lines_of([item]), wording=wording, bind=False)


def _hangs(shown: str) -> bool:
    return asking.introduces(shown) or shown.rstrip().endswith("?")


# Definitions

_VAGUE = word_set("""
    important essential used useful very also not covered taught studied discussed divided named difficult hard easy
    released licensed everywhere central crucial vital fundamental common popular known often usually
    """)
_ARTICLE = re.compile(r"(?:a|an|the)\s+", re.IGNORECASE)
_ABBREVIATION = r"\s*\((?=[^()]*[A-Z][^()]*[A-Z])[A-Za-z0-9-]{2,12}\)"


def definition(script: Script, found: Sequence[Section]) -> Draft | None:
    """The first paragraph that says what the title of the note is."""
    if not script.title:
        return None
    opening = _opening(script.title)
    for section in found:
        for passage in section.passages:
            if passage.role is Role.TEXT and passage.free and passage.words is not None:
                match = opening.match(passage.words.shown)
                if match and (draft := _defined(script, section, passage, match)):
                    return draft
    return None


def _opening(title: str) -> re.Pattern[str]:
    plain = _ARTICLE.sub("", title, count=1) if _ARTICLE.match(title) else title
    stem = re.escape(re.sub(r"(?:es|s)$", "", plain)) if len(plain) > 4 else re.escape(plain)
    return re.compile(
        rf"[*_]*(?P<article>(?:a|an|the)\s+)?[*_]*(?P<term>{stem}(?:es|s)?(?![^\W_]))[*_]*"
        rf"(?P<abbreviation>{_ABBREVIATION})?[*_]*\s+(?P<verb>\S+)\s+(?P<next>\S+)",
        re.IGNORECASE if not plain.isupper() else 0,
    )


def _defined(script: Script, section: Section, passage: Passage, match: re.Match[str]) -> Draft | None:
    assert passage.words is not None
    verb = match["verb"].lower()
    says = verb in ("is", "are", "was", "were", "means") and match["next"].lower().strip(",") not in _VAGUE
    says_hinglish = verb in ("ek", "woh", "matlab") or (verb == "ka" and match["next"].lower() == "matlab")
    abbreviation = match["abbreviation"] or ""
    if not (abbreviation or says or says_hinglish) or asking.introduces(passage.words.shown):
        return None
    term = passage.words.cut(match.start("term"), match.end("term"))
    name = (match["article"] or "").lower() + "{}" + abbreviation
    english = verb if verb in ("are", "was", "were") else "is"
    return script.draft(
        "definition",
        section,
        term,
        script.passages([passage]),
        lines_of([passage]),
        wording=(f"What {english} {name}?", f"{{}}{abbreviation} kya hai?"),
        bind=False,
        start=passage.words.start,
    )


_TERM = re.compile(r"(\*\*|__)(?P<term>[^*_\n]{2,60}?)(?P<inner>:?)\1(?P<mark>\s*:|\s+[—–-])?\s+(?=\S)")


def _terms(script: Script, section: Section, passage: Passage, heading: Sequence[str]) -> Iterator[Draft | None]:
    """The items `**Term**: text` of a list that has no others."""
    found = [(item, _TERM.match(item.words.shown)) for item in passage.items if item.words is not None]
    if len(found) < 2 or not all(match and (match["inner"] or match["mark"]) for _, match in found):
        return
    defines = not _DEFINED.isdisjoint(heading)
    for item, match in found:
        assert item.words is not None
        if match is None or not item.free:
            continue
        term, text = item.words.cut(match.start("term"), match.end("term")), item.words.cut(match.end())
        called = term.shown.strip(" :")
        fits = asking.length(called) <= 5 and any(char.isalpha() for char in called) and not asking.is_label(called)
        says = asking.length(text.shown) >= 3 or FORMULA in text.shown
        if fits and says and "?" not in called and not _hangs(text.shown) and asking.is_whole(text.shown):
            wording = ("What is {}?", "{} kya hai?") if defines else ("{}?", "{}?")
            yield script.draft(
                "definition", section, term, script.answer(text), lines_of([item]), wording=wording, bind=True
            )


# Enumerations and formulas


def _enumeration(script: Script, section: Section, passage: Passage, below: Sequence[Passage]) -> Draft | None:
    assert passage.words is not None
    if not below or below[0].role is not Role.LIST or not below[0].free:
        return None
    sentence = _last_sentence(passage.words)
    count = len(below[0].items)
    if sentence is None or not 3 <= count <= 7:
        return None
    if any(item.words is None or asking.is_quoted(item.words.shown) for item in below[0].items):
        return None
    found = asking.words(sentence.shown)
    if _LISTED.isdisjoint(found) and _NUMBERS[count].isdisjoint(found) and not _TARAH.search(sentence.shown):
        return None
    return script.draft(
        "enumeration",
        section,
        sentence,
        script.passages(below[:1]),
        lines_of([passage, below[0]]),
        wording=(f"{{}}: which {count}?", f"{{}}: kaun se {count}?"),
        bind=True,
        start=passage.words.start,
    )


def _last_sentence(words: Words) -> Words | None:
    """The last sentence of a text that ends in a colon, without the colon."""
    if not asking.introduces(words.shown):
        return None
    start, _ = list(asking.sentences(words.shown))[-1]
    sentence = asking.unmarked(words.cut(start, len(words.shown.rstrip(" :*_\n"))))
    if sentence is None:
        return None
    sentence = asking.without_leading(sentence)
    return None if asking.is_label(sentence.shown) or asking.length(sentence.shown) < 3 else sentence


def _formula(script: Script, section: Section, passage: Passage, below: Sequence[Passage]) -> Draft | None:
    assert passage.words is not None
    sentence = _last_sentence(passage.words)
    answer = _with_explanation(below)
    if sentence is None or not answer or not _is_law(script.passages(answer[:1])):
        return None
    return script.draft(
        "formula",
        section,
        sentence,
        script.passages(answer),
        lines_of([passage, *answer]),
        wording=("{} … which formula?", "{} … formula kya hai?"),
        bind=True,
        start=passage.words.start,
    )


def _formula_of_heading(script: Script, section: Section) -> Draft | None:
    answer = _with_explanation(section.passages)
    if not section.headings or not section.free or not answer or not _is_law(script.passages(answer[:1])):
        return None
    heading = asking.without_number(section.headings[-1])
    names = script.above(section.headings[:-1])
    generic = asking.says_nothing(heading.shown, script.note.language)
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


def _with_explanation(passages: Sequence[Passage]) -> Sequence[Passage]:
    """The formula on top, with the paragraph below it that says what its letters mean."""
    if not passages or passages[0].role is not Role.FORMULA or not passages[0].free:
        return ()
    end = 1
    while end < len(passages) and passages[end].role is Role.FORMULA and passages[end].free:
        end += 1
    if end < len(passages) and passages[end].role is Role.TEXT and passages[end].free:
        words = passages[end].words
        explains = words is not None and _EXPLAINS.match(words.shown) and not _hangs(words.shown)
        end += 1 if explains else 0
    return passages[:end]


def _is_law(formula: str) -> bool:
    """Whether it relates things, and does not just give one a number."""
    return len(_symbols(formula)) >= 2

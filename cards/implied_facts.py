"""Facts that a note lays out: counts, connections, definitions."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from cards import asking, topics
from cards.drafts import LONGEST_QUESTION, Draft, Script, lines_of
from cards.language import word_set
from cards.passages import FORMULA, Passage, Section, Words
from cards.symbols import is_general

_COUNTED = word_set("count counts parameter parameters complexity cost costs memory size sizes shape shapes flops")
_DEFINED = word_set("definition definitions terms term vocabulary glossary terminology paribhasha")


def stated(script: Script, section: Section) -> Iterator[Draft | None]:
    """The counts, connections and terms of a section."""
    shown = section.headings[-1].shown if section.headings else ""
    heading = [] if asking.ends_asking(shown) else asking.words(shown)
    if topics.CONNECTED.match(shown) and heading:
        yield from _connections(script, section)
    elif not _COUNTED.isdisjoint(heading):
        yield from _counts(script, section)
    else:
        defines = not _DEFINED.isdisjoint(heading)
        lists = [] if script.page else [_named(p.items) for p in section.passages if p.role == "list" and p.free]
        wording = ("What is {}?", "{} kya hai?") if defines else None
        yield from (
            (draft for named in lists for draft in _mistakes(script, section, named))
            if topics.is_of_mistakes(shown)
            else _terms(script, section, _told_once(lists), wording)
        )
        if defines:
            yield from _glossary(script, section)


# Counts

_ENTRY = re.compile(r"[^:]{1,60}:\s")


def _counts(script: Script, section: Section) -> Iterator[Draft | None]:
    group: Words | None = None
    for passage in section.passages:
        if passage.role == "text" and passage.words is not None and passage.free:
            group = _group(passage.words)
            yield _count(script, section, passage, None)
        elif passage.role == "list":
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
    if any(_ENTRY.match(line) for line in value.shown.split("\n")[1:]):  # several facts in one paragraph
        return None
    back = script.answer(value)
    if asking.length(key.shown) > 6 or topics.is_label(key.shown) or asking.asks_why(key.shown):
        return None
    if not is_general(back) or asking.introduces(value.shown):
        return None
    own = (script.say(group),) if group is not None else ()
    heading = script.name(topics.without_number(section.headings[-1]))
    title = (script.title,) if script.title and script.title.casefold() not in heading.casefold() else ()
    outer = script.above(section.headings[:-1])[len(title) :]
    above = outer[-1:] if _COUNTED.issuperset(asking.words(heading)) else ()  # it could stand in any section
    return script.draft(
        "count",
        section,
        key,
        back,
        lines_of([passage]),
        wording=("{}?", "{}?"),
        own=(*title, *above, heading, *own),
        bind=False,
    )


# Connections


def _connections(script: Script, section: Section) -> Iterator[Draft | None]:
    for passage in section.passages:
        for item in passage.items if passage.role == "list" else ():
            if item.free:
                yield _connection(script, section, item)


_ONLY_LINKS = re.compile(r"(?:\[\[[^\[\]]*\]\]|[\s,;·|/&]|and|or|aur|ya)+")
"""Which do not say how a thing is connected."""


def _connection(script: Script, section: Section, item: Passage) -> Draft | None:
    assert item.words is not None
    found = asking.parted(item.words, dash=True)
    if found is None or not script.title:
        return None
    name, text = found
    called = script.name(name)
    if (
        max(asking.length(name.shown), asking.length(called)) > 8
        or called.casefold() == script.title.casefold()
        or topics.is_no_subject(called)
        or asking.asks_why(name.shown)
        or _ONLY_LINKS.fullmatch(script.answer(text))
        or _hangs(text.shown)
    ):
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
    released licensed everywhere central crucial vital fundamental common popular known often usually always never only
    """)
_EVENT = re.compile(
    r"(?!called|defined|composed|based|formed|derived)\w+ed|thrown|given|taken|shown|sent|written", re.IGNORECASE
)
"""What follows `is` where the sentence tells what is done with a thing, not what it is."""
_DEFINING = re.compile(r"\s+(?:as|by|to)\b", re.IGNORECASE)
"""What goes on from `is defined`: `through`, `in` or `on` tell where or how."""
_ARTICLE = re.compile(r"(?:a|an|the)\s+", re.IGNORECASE)
_ABBREVIATION = r"\s*\((?=[^()]*[A-Z][^()]*[A-Z])[A-Za-z0-9-]{2,12}\)"


def definition(script: Script, found: Sequence[Section]) -> Draft | None:
    """The first paragraph that says what the title of the note is."""
    if not script.title or len(" ".join(script.title.split())) > LONGEST_QUESTION:
        return None  # no question could hold it
    opening = _opening(script.title)
    for section in found:
        for passage in section.passages:
            if passage.role == "text" and passage.free and passage.words is not None:
                match = opening.match(passage.words.shown)
                if match and (draft := _defined(script, section, passage, match)):
                    return draft
    return None


_KIND = re.compile(r"\s+(?:mechanism|layer|algorithm|method|technique|architecture|explained)s?\Z", re.IGNORECASE)
_ASIDE = re.compile(r"(?P<name>[^()]+?)\s*\((?P<aside>[^()]+)\)")


def _opening(title: str) -> re.Pattern[str]:
    """The title at the start of a paragraph, in the singular or plural, with its abbreviation and the verb."""
    plain = _ARTICLE.sub("", title, count=1)
    called = [plain]
    if aside := _ASIDE.fullmatch(plain):  # `Layer Norm (LN)`, `LN (Layer Norm)`, `Attention (machine learning)`
        called = [aside["name"]]
        if " " not in aside["name"] and " " in aside["aside"] and sum(map(str.isupper, aside["name"])) > 1:
            called.append(aside["aside"])
    called += [_KIND.sub("", name) for name in called if _KIND.search(name)]
    names = [
        spelled
        for name in called
        for spelled in (
            re.escape(name) + "(?:s|es)?",
            *(re.escape(name.removesuffix(end)) for end in ("s", "es") if len(name) > 4),
        )
    ]
    return re.compile(
        rf"[*_]{{0,6}}(?P<article>(?:a|an|the)\s+)?[*_]{{0,6}}(?P<term>{'|'.join(names)})(?![^\W_])[*_]{{0,6}}"
        rf"(?P<abbreviation>{_ABBREVIATION})?(?:\s*\((?P<long>[^()\n]{{3,80}})\))?[*_]{{0,6}}"
        r"\s+(?P<verb>\S+)\s+(?P<next>\S+)",
        re.NOFLAG if called[0].isupper() else re.IGNORECASE,
    )


def _defined(script: Script, section: Section, passage: Passage, match: re.Match[str]) -> Draft | None:
    assert passage.words is not None
    verb = match["verb"].lower()
    following = match["next"].lower().strip(",")
    says = verb in ("is", "are", "was", "were", "means") and following not in _VAGUE and not _EVENT.fullmatch(following)
    if following == "defined" and not _DEFINING.match(passage.words.shown, match.end()):
        says = False
    says_hinglish = verb in ("ek", "woh", "matlab") or (verb == "ka" and match["next"].lower() == "matlab")
    abbreviation = match["abbreviation"] or ""
    found = list(asking.sentences(passage.words.shown))
    if asking.introduces(passage.words.shown):
        found.pop()
    spelled_out = match["long"] is not None and _spells_out(match["long"], match["term"])
    if match["long"] is not None and not (spelled_out or (says and following in ("a", "an", "the", "one"))):
        return None  # `Entropy (see above) is here`
    if not (abbreviation or spelled_out or says or says_hinglish) or not found:
        return None
    term = passage.words.cut(match.start("term"), match.end("term"))
    name = (match["article"] or "").lower() + "{}" + abbreviation
    english = verb if verb in ("are", "was", "were") else "is"
    return script.draft(
        "definition",
        section,
        term,
        script.answer(passage.words.cut(0, found[-1][1])),
        lines_of([passage]),
        wording=(f"What {english} {name}?", f"{{}}{abbreviation} kya hai?"),
        bind=False,
        start=passage.words.start,
    )


def _spells_out(text: str, term: str) -> bool:
    """Whether the words of the text begin with the letters of the abbreviation."""
    initials = [word[0] for word in asking.words(text.replace("-", " "))]
    letters = iter(initials)
    return term.isupper() and bool(initials) and len(initials) >= len(term) and all(x in letters for x in term.lower())


def _glossary(script: Script, section: Section) -> Iterator[Draft | None]:
    """The items `Term: text`, the term without emphasis, below such a heading."""
    for passage in section.passages:
        found = [(item, asking.parted(item.words)) for item in passage.items if item.words is not None and item.free]
        for item, parts in found if len(found) > 1 else ():
            if parts is None or asking.length(parts[0].shown) > 5 or _hangs(parts[1].shown):
                continue
            if item.words is not None and item.words.shown.startswith(("*", "_")):
                continue
            term, text = parts
            if asking.length(text.shown) >= 3 or FORMULA in text.shown:
                yield script.draft(
                    "definition", section, term, script.answer(text), lines_of([item]), wording=MEANS, bind=False
                )


_TERM = re.compile(r"(\*\*|__)(?P<term>[^*_\n]{1,60}?)(?P<inner>:?)\1(?P<mark>\s*:|\s+[—–-])?\s+(?=\S)")


MEANS = ("What does “{}” mean?", "“{}” ka matlab kya hai?")
"""Of several words in lower case nobody sees that they are the name of a thing."""


_Named = tuple[Passage, Words, Words]


def _named(items: Sequence[Passage]) -> list[_Named]:
    """The items `**Term**: text` of a list that has no others, with the term and the text."""
    found = [(item, item.words, _TERM.match(item.words.shown)) for item in items if item.words is not None]
    if len(found) < 2 or not all(match and (match["inner"] or match["mark"]) for _, _, match in found):
        return []
    return [
        (item, words.cut(match.start("term"), match.end("term")), words.cut(match.end()))
        for item, words, match in found
        if match and item.free
    ]


def _told_once(lists: Sequence[Sequence[_Named]]) -> Iterator[_Named]:
    """The items whose term no other list of the section has: `EN` below each of several sentences asks for none."""
    named = [found for items in lists for found in items]
    count = Counter(_called(term).casefold() for _, term, _ in named)
    return (found for found in named if count[_called(found[1]).casefold()] == 1)


def _called(term: Words) -> str:
    return term.shown.strip(" :")


def _terms(
    script: Script, section: Section, named: Iterable[_Named], wording: tuple[str, str] | None
) -> Iterator[Draft | None]:
    for item, term, text in named:
        called = _called(term)
        fits = asking.length(called) <= 5 and any(char.isalpha() for char in called) and not topics.is_label(called)
        if not asking.AUXILIARY.isdisjoint(asking.words(called)):  # a sentence, no term
            continue
        asked = wording or (MEANS if term.shown[0].islower() and " " in called else ("{}?", "{}?"))
        if fits and "?" not in called and _tells(text):
            yield script.draft(
                "definition", section, term, script.answer(text), lines_of([item]), wording=asked, bind=True
            )


def _mistakes(script: Script, section: Section, named: Iterable[_Named]) -> Iterator[Draft | None]:
    for item, mistake, text in named:
        if asking.length(mistake.shown) > 1 and _tells(text):
            answer = script.answer(text)
            yield script.draft(
                "mistake", section, mistake, answer, lines_of([item]), wording=topics.MISTAKEN, bind=False
            )


def _tells(text: Words) -> bool:
    says = asking.length(text.shown) >= 3 or FORMULA in text.shown
    return says and not _hangs(text.shown) and asking.is_whole(text.shown)

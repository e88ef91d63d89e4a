"""Twins: notes and cards that say the same in two languages, and formulas that differ between them."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards import collection
from cards.model import Basic, Card, Cloze, Language, Origin, Place, Problem
from cards.stated import stated
from cards.twin_cards import Told, handed_on, pair_cards
from cards.twin_formulas import differences
from cards.twins import find, pair_notes

BUNDLED = Path(__file__).parents[1] / "mha_quiz" / "notes"
SEEDS = Path(__file__).parents[2] / "shared" / "seeds"


def read(paths: Sequence[Path]) -> list[Told]:
    found = collection.read(paths, derived=False)
    return [
        Told(
            note,
            Path(note.path).read_text(encoding="utf-8-sig"),
            tuple(card for card in found.cards if card.place.path == note.path),
            {},
        )
        for note in found.notes
    ]


def notes(folder: Path, **texts: str) -> list[Told]:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return read([folder])


def names(pairs: Sequence[tuple[Told, Told]]) -> list[tuple[str, str]]:
    return [(Path(one.note.path).stem, Path(other.note.path).stem) for one, other in pairs]


def note(lang: str, formulas: str, *, deck: str = "optics", more: str = "") -> str:
    """A note with one card and some formulas, one letter each."""
    return f"---\nlang: {lang}\n{more}---\n#flashcards/{deck}\n\nlens {lang} :: b\n\n" + " ".join(
        f"${f}$" for f in formulas
    )


def problems(one: Told, other: Told, pairs: Sequence[tuple[Card, Card]]) -> list[Problem]:
    return differences((one.note, other.note), (one.text, other.text), pairs)


HEADINGS = "\n\n# Lens\n\n## Rays\n\n## Focus\n\n## Image\n\n## Eye"

# Notes


def test_formulas_of_pages_that_lost_their_dollar_signs_count(tmp_path: Path) -> None:
    bare = r"L = w^2 @ \nabla L = 2w @ w_{t+1} = w_t - \eta \nabla L @ \eta < 1 @ w_0 = 4".replace(" @ ", "\n\n")
    page = "{0}\n\nML › Descent\n\n• a step\n• more steps\n\n{1}\n\n#flashcards/ml\n\n{2}\n"
    english = page.format("Gradient Descent", bare, "What does the learning rate set? :: The size of a step.")
    hinglish = page.format("Gradient Descent (Hinglish)", bare, "Learning rate kya set karta hai? :: Step ka size.")
    assert names(pair_notes(notes(tmp_path, a=english, b=hinglish))) == [("a", "b")]
    other = hinglish.replace("w", "v").replace("L ", "K ")
    assert names(pair_notes(notes(tmp_path, a=english, b=other))) == []


def test_twins_share_formulas(tmp_path: Path) -> None:
    # three of five, and the smaller note counts
    found = notes(tmp_path, one=note("en", "abcde"), two=note("hinglish", "abcxyzuvw"))
    assert names(pair_notes(found)) == [("one", "two")]


def test_twins_share_headings(tmp_path: Path) -> None:
    other = HEADINGS.replace("# Lens", "# Lens — Hinglish").replace("Rays", "RAYS").replace("Focus", "Fokas")
    found = notes(tmp_path, one=note("en", "") + HEADINGS, two=note("hinglish", "") + other)
    assert names(pair_notes(found)) == [("one", "two")]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (note("en", "abcde"), note("hinglish", "abxyz")),
        (note("en", "abcd"), note("hinglish", "abcd")),
        (note("en", "abcde"), note("en", "abcde")),
        (note("en", "abcde"), note("hinglish", "abcde", deck="waves")),
        (note("en", "") + HEADINGS, note("hinglish", "") + HEADINGS.replace("## Eye", "")),
    ],
    ids=["two of five", "too few", "one language", "two decks", "too few headings"],
)
def test_no_twins(tmp_path: Path, one: str, two: str) -> None:
    assert pair_notes(notes(tmp_path, one=one, two=two)) == []


def test_a_name_is_enough(tmp_path: Path) -> None:
    named = note("en", "", deck="waves", more="twin: two.md\n")
    found = notes(tmp_path, one=named, two=note("hinglish", "abcde"), zwei=note("en", "abcde"))
    assert names(pair_notes(found)) == [("one", "two")]
    alone = notes(tmp_path, one=named.replace("two.md", "one.md"))
    assert names(pair_notes(alone)) == [("two", "zwei")]
    lost = notes(tmp_path, one=named.replace("two.md", "three.md"))
    assert names(pair_notes(lost)) == [("two", "zwei")]


@pytest.mark.parametrize("named", ["two", "Two.md", "./two.md", '"[[two]]"', '"[[notes/two|the other]]"'])
def test_ways_to_name_a_twin(tmp_path: Path, named: str) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    found = notes(folder, one=note("en", "", more=f"twin: {named}\n"), two=note("hinglish", ""))
    assert names(pair_notes(found)) == [("one", "two")]


def test_a_wikilink_names_a_note_in_another_folder_if_there_is_one_such(tmp_path: Path) -> None:
    for folder in ("en", "hinglish", "old"):
        (tmp_path / folder).mkdir()
    (tmp_path / "en/lens.md").write_text(note("en", "", deck="a", more='twin: "[[lens]]"\n'), encoding="utf-8")
    (tmp_path / "hinglish/lens.md").write_text(note("hinglish", ""), encoding="utf-8")
    assert names(pair_notes(read([tmp_path]))) == [("lens", "lens")]
    (tmp_path / "old/lens.md").write_text(note("hinglish", ""), encoding="utf-8")
    assert pair_notes(read([tmp_path])) == []


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("lens.md", "lens.hinglish.md"),
        ("lens-en.md", "lens-hi.md"),
        ("Lens (English).md", "lens (Hinglish).txt"),
        ("en/lens.md", "hinglish/lens.md"),
        ("en.md", "hinglish.md"),
    ],
)
def test_files_named_alike_but_for_the_language_are_twins(tmp_path: Path, one: str, two: str) -> None:
    for name, lang in ((one, "en"), (two, "hinglish")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(note(lang, ""), encoding="utf-8")
    assert [{Path(told.note.path) for told in pair} for pair in pair_notes(read([tmp_path]))] == [
        {tmp_path / one, tmp_path / two}
    ]


@pytest.mark.parametrize(
    "texts",
    [
        {"lens": note("en", ""), "lens-hinglish": note("en", "")},
        {"lens": note("en", ""), "lens-hinglish": note("hinglish", "", deck="waves")},
        {"lens": note("en", ""), "lens-en": note("en", ""), "lens-hi": note("hinglish", "")},
        {"lens-1": note("en", ""), "lens 1": note("hinglish", "")},
        {"lens": note("en", ""), "lenshi": note("hinglish", "")},
    ],
    ids=["one language", "two decks", "three", "no language named", "no word"],
)
def test_names_that_pair_nobody(tmp_path: Path, texts: dict[str, str]) -> None:
    assert pair_notes(notes(tmp_path, **texts)) == []


def test_the_best_partner_is_taken_and_a_tie_pairs_nobody(tmp_path: Path) -> None:
    texts = {
        "en": note("en", "abcdefghij"),
        "fair": note("hinglish", "abcdefxyzw"),
        "good": note("hinglish", "abcdefghxy"),
    }
    assert names(pair_notes(notes(tmp_path, **texts))) == [("en", "good")]
    texts["fair"] = texts["good"]
    assert pair_notes(notes(tmp_path, **texts)) == []


# Cards


def card(front: str, back: str, line: int, origin: Origin = Origin.FLASHCARD) -> Card:
    return Card(Basic(front, back), origin, Place("x.md", line, 1), "d", (), Language.EN, (), (), None)


def told(base: Told, cards: Sequence[Card], structures: Sequence[str] = ()) -> Told:
    return replace(base, cards=tuple(cards), structures=dict(zip(cards, structures, strict=False)))


def lines(pairs: Sequence[tuple[Card, Card]]) -> list[tuple[int, int]]:
    return [(one.place.line, other.place.line) for one, other in pairs]


@pytest.fixture
def base(tmp_path: Path) -> Told:
    return notes(tmp_path, base=note("en", ""))[0]


def test_cards_share_formulas_and_technical_words(base: Told) -> None:
    one = [card("What is the focal length?", "$f$", 1), card("What is the magnification?", "$b/g$", 2)]
    other = [card("Magnification kya hai?", "$ b / g $ hota hai", 7), card("Focal length kya hai?", "$f$", 8)]
    assert lines(pair_cards(told(base, one), told(base, other))) == [(1, 8), (2, 7)]


def test_cards_with_too_little_in_common_stay_alone(base: Told) -> None:
    one = [card("What does the stop limit?", "The cone of light rays", 1)]
    other = [card("Retina kahan hai?", "Eyeball mein, light ke saamne", 2), card("Yeh kyun?", "Isliye", 3)]
    assert pair_cards(told(base, one), told(base, other)) == []
    # a third of the words is enough for the same kind of card, and not for another; a quarter never is
    third = card("lens mirror", "candle", 1), card("lens parda", "batti", 2)
    assert len(pair_cards(told(base, [third[0]]), told(base, [third[1]]))) == 1
    cloze = third[1]._replace(content=Cloze(("lens parda batti",)))
    assert pair_cards(told(base, [third[0]]), told(base, [cloze])) == []
    quarter = card("lens mirror", "candle stop", 1), card("lens parda", "batti chhed", 2)
    assert pair_cards(told(base, [quarter[0]]), told(base, [quarter[1]])) == []


def test_cards_with_other_numbers_are_no_twins(base: Told) -> None:
    one = [
        card("What is the boiling point of water?", "$100$ °C", 1),
        card("What is the mass of the gold bar?", "1,000 g", 2),
    ]
    other = [card("Water ka freezing point kya hai?", "$0$ °C", 1), card("Gold bar ka mass kya hai?", "1000 g", 2)]
    assert lines(pair_cards(told(base, one), told(base, other))) == [(2, 2)]
    corrected = [card("Gold bar ka mass kya hai?", "1005 g", 2)]
    assert lines(pair_cards(told(base, one), told(base, corrected))) == [(2, 2)]


def test_cards_that_name_other_things_are_no_twins(base: Told) -> None:
    both = replace(base, text="Gandhi, salt, march; $W^Q$ and $W^K$ are $d$ wide in each layer of the head.")
    for mine, yours in (
        # each has a formula that the other note knows too
        (("How wide is $W^Q$ in a layer of the head?", "$d$"), ("Head ki layer mein $W^K$ kitna wide hai?", "$d$")),
        # nothing of an answer that both notes name is on the other card
        (("Who led the Salt March?", "Gandhi"), ("Salt March kyun hua?", "Namak par tax tha")),
    ):
        assert pair_cards(told(both, [card(*mine, 1)]), told(both, [card(*yours, 2)])) == []
    right = card("Head ki layer mein $W^Q$ kitna wide hai?", "$d$", 2), card("Salt March kisne kiya?", "Gandhi ne", 3)
    asked = card("How wide is $W^Q$ in a layer of the head?", "$d$", 2), card("Who led the Salt March?", "Gandhi", 3)
    assert lines(pair_cards(told(both, asked), told(both, right))) == [(2, 2), (3, 3)]


def test_a_card_has_one_partner(base: Told) -> None:
    one = [card("lens power", "dioptre", 1), card("lens power", "dioptre", 2), card("lens power", "dioptre", 3)]
    assert lines(pair_cards(told(base, one), told(base, one[:2]))) == [(1, 1), (2, 2)]
    assert lines(pair_cards(told(base, one[:2]), told(base, one))) == [(1, 1), (2, 2)]


def test_the_same_kind_of_card_is_preferred(base: Told) -> None:
    one = [card("lens power", "dioptre", 1, Origin.DERIVED)]
    other = [
        card("lens power kya", "dioptre", 2),
        card("lens power kya", "dioptre", 3, Origin.DERIVED),
        card("lens power kya", "dioptre", 4, Origin.DERIVED),
    ]
    pairs = pair_cards(told(base, one, ["why"]), told(base, other, ["", "count", "why"]))
    assert lines(pairs) == [(1, 4)]


def test_the_partner_of_a_card_left_out_goes_to_the_one_it_repeats() -> None:
    left_out, marked, busy = card("a", "b", 1), card("a", "c", 2), card("d", "e", 3)
    first, second = card("f", "g", 11), card("h", "i", 12)
    assert handed_on([(left_out, first)], {left_out: marked}) == [(marked, first)]
    assert handed_on([(first, left_out)], {left_out: marked}) == [(first, marked)]
    assert handed_on([(left_out, first), (busy, second)], {left_out: busy}) == [(busy, second)]


def test_bundled_notes_are_twins_card_by_card() -> None:
    found = read([BUNDLED])
    ((hinglish, english),) = pair_notes(found)
    pairs = pair_cards(english, hinglish)
    assert len(pairs) == len(english.cards) == len(hinglish.cards) > 20
    assert [english.cards.index(one) for one, _ in pairs] == [hinglish.cards.index(other) for _, other in pairs]
    assert problems(english, hinglish, pairs) == []
    unnamed = [replace(each, note=replace(each.note, twin=None)) for each in found]
    assert len(pair_notes(unnamed)) == 1


TWINS = Path(__file__).parent / "data" / "twins"
"""Notes whose cards are twins line by line, many of them near to others: lens and mirror, L1 and L2, anode and cathode."""


def true_pairs(name: str) -> tuple[Told, Told]:
    one, other = read([TWINS / f"{name}.en.md"])[0], read([TWINS / f"{name}.hinglish.md"])[0]
    assert len(one.cards) == len(other.cards)
    return one, other


NAMES = sorted(path.name.removesuffix(".en.md") for path in TWINS.glob("*.en.md"))


@pytest.mark.parametrize("name", NAMES)
def test_cards_that_are_near_are_told_apart(name: str) -> None:
    one, other = true_pairs(name)
    pairs = pair_cards(one, other)
    assert {(a.place.line, b.place.line) for a, b in pairs} <= {(n, n) for n in range(1, 100)}
    assert len(pairs) >= len(one.cards) - 1


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_pair_is_wrong_whatever_cards_are_left_out_and_however_they_are_mixed(data: st.DataObject) -> None:
    one, other = true_pairs(data.draw(st.sampled_from(NAMES)))
    some = st.lists(st.sampled_from(range(len(one.cards))), unique=True)
    mine, yours = data.draw(some), data.draw(some)
    kept, left = (
        replace(told, cards=tuple(told.cards[index] for index in indexes))
        for told, indexes in ((one, mine), (other, yours))
    )
    assert all(a.place.line == b.place.line for a, b in pair_cards(kept, left))


@pytest.mark.parametrize("name", NAMES)
def test_cards_of_notes_on_other_things_are_no_twins(name: str) -> None:
    """A word such as "base" may bring a few together, which are far from enough to make their notes twins."""
    one, _ = true_pairs(name)
    for another in set(NAMES) - {name}:
        other = true_pairs(another)[1]
        assert len(pair_cards(one, other)) <= min(len(one.cards), len(other.cards)) / 6


def test_notes_that_say_the_same_of_two_things_are_no_twins(tmp_path: Path) -> None:
    letters = ("n", "d_k", "h", "d_v", "L", "W^Q", "W^K", "W^V")
    one = "---\nlang: en\n---\n#flashcards/a\n\n# Layer 1\n\n" + "".join(
        f"What is ${letter}$ in this layer? :: {number}\n" for number, letter in enumerate(letters, 100)
    )
    other = "---\nlang: hinglish\n---\n#flashcards/a\n\n# Layer 1\n\n" + "".join(
        f"Is layer mein ${letter}$ kya hai? :: {number}\n" for number, letter in enumerate(letters, 100)
    )
    assert names(pair_notes(notes(tmp_path, x=one, y=other))) == [("x", "y")]
    # one of the numbers was corrected
    assert names(pair_notes(notes(tmp_path, x=one, y=other.replace(":: 103", ":: 64")))) == [("x", "y")]
    assert len(pair_cards(*notes(tmp_path, x=one, y=other.replace(":: 103", ":: 64")))) == len(letters)
    # all of them are others
    found = notes(tmp_path, x=one, y=other.replace(":: 10", ":: 5"))
    assert pair_notes(found) == []
    assert pair_cards(*found) == []
    assert pair_notes(notes(tmp_path, x=one, y=other.replace("Layer 1", "Layer 2"))) == []
    named = one.replace("lang: en\n", "lang: en\ntitle: Layer 2\n")
    assert pair_notes(notes(tmp_path, x=named, y=other)) == []


def test_a_cloze_and_a_question_need_more_in_common(base: Told) -> None:
    one = card("decoder", "It writes the target.", 1)
    cloze = card("", "", 2)._replace(content=Cloze(("Decoder autoregressive hota hai.",)))
    assert pair_cards(told(base, [one]), told(base, [cloze])) == []
    two = cloze._replace(content=Cloze(("Decoder target ko likhta hai.",)))
    assert len(pair_cards(told(base, [one]), told(base, [two]))) == 1


def test_cards_with_other_formulas_need_all_words_in_common(base: Told) -> None:
    one = card("Parameters of one block?", "$12 d^2$", 1)
    assert pair_cards(told(base, [one]), told(base, [card("Kul parameters?", "$3 d^2$", 1)])) == []
    assert len(pair_cards(told(base, [one]), told(base, [card("Ek block ke parameters?", "$3 d^2$", 1)]))) == 1


def test_notes_of_one_pattern_on_other_things_are_no_twins(tmp_path: Path) -> None:
    pattern = "\n\n## Definition\n\n## Formula\n\n## Rays and waves\n\n## Uses\n\n## Errors\n\n## Units\n\n## History\n"
    one = "---\nlang: en\n---\n#flashcards/a\n\nWhat is a lens? :: glass\n" + pattern
    other = "---\nlang: hinglish\n---\n#flashcards/a\n\nPendulum kya hai? :: ek wazan\n" + pattern
    assert pair_notes(notes(tmp_path, x=one, y=other)) == []
    same = other.replace("Pendulum kya hai? :: ek wazan", "Lens kya hai? :: glass")
    assert names(pair_notes(notes(tmp_path, x=one, y=same))) == [("x", "y")]
    generic = "\n\n## Definition\n\n## Formula\n\n## Examples\n\n## References\n\n## Notes\n"
    assert pair_notes(notes(tmp_path, x=one.replace(pattern, generic), y=same.replace(pattern, generic))) == []


def test_a_twin_that_is_nowhere_is_told(tmp_path: Path) -> None:
    named = note("en", "", more="tags: a\nTwin: three.md\n")
    found = notes(tmp_path, one=named, two=note("hinglish", ""))
    message = 'front matter: twin names "three.md", and there is no such note, or more than one'
    assert find(found, {}).problems == (Problem(Place(found[0].note.path, 4, 1), "bad-front-matter", message),)
    (tmp_path / "three.md").write_text("no card", encoding="utf-8")
    assert find(found, {}).problems == ()
    odd = notes(tmp_path, one=note("en", "", more='twin: "a\\nb/\\e.md"\n'), two=note("hinglish", ""))
    assert find(odd, {}).problems[0].message.startswith('front matter: twin names "a b/�.md", and')
    # a name alone may be that of a note elsewhere in the vault, which is not read this time
    (elsewhere := tmp_path / "elsewhere").mkdir()
    assert find(notes(elsewhere, one=note("en", "", more="twin: three\n")), {}).problems == ()
    assert len(find(notes(elsewhere, one=note("en", "", more="twin: ../none/three.md\n")), {}).problems) == 1


def test_a_twin_that_another_note_has_is_told(tmp_path: Path) -> None:
    texts = {name: note("en", "", more="twin: two.md\n") for name in ("one", "zwei")}
    found = notes(tmp_path, **texts, two=note("hinglish", ""))
    message = f"front matter: {tmp_path / 'two.md'} is the twin of another note"
    assert find(found, {}).problems == (Problem(Place(found[2].note.path, 3, 1), "bad-front-matter", message),)


def test_all_twins_of_some_notes(tmp_path: Path) -> None:
    found = notes(tmp_path, one=lens("en", r"$\sqrt{x}$"), two=lens("hinglish", "$x$"), three=note("en", ""))
    twins = find(found, {})
    assert [(Path(one.path).stem, Path(two.path).stem) for one, two in twins.notes] == [("one", "two")]
    assert [card.place.line for pair in twins.cards for card in pair] == [11, 11]
    assert [(Path(p.place.path).stem, p.code) for p in twins.problems] == [("two", "twin-differs")]
    (pair,) = twins.cards
    marked = pair[0]._replace(place=Place("x.md", 99, 1))
    assert find(found, {pair[0]: marked}).cards == ((marked, pair[1]),)


def test_many_cards_take_linear_time(base: Told) -> None:
    def seconds(count: int) -> float:
        cards = [card(f"lens question {n} about w{n:05}", f"answer $x_{{{n}}}$", n) for n in range(count)]
        start = time.process_time()
        assert len(pair_cards(told(base, cards), told(base, cards))) == count
        return time.process_time() - start

    seconds(100)
    assert seconds(5000) < 0.5 + 20 * seconds(500)


# Formulas


def lens(lang: str, text: str) -> str:
    return (
        note(lang, "abcde", more="title: Lens\n").replace("\nlens ", "\n# Lens\n\nBefore $k$.\n\nlens ")
        + f"\n\n## Image\n\n{text}\n"
    )


def told_differences(folder: Path, one: str, two: str) -> list[str]:
    found = notes(folder, one=lens("en", one), two=lens("hinglish", two))
    ((english, hinglish),) = pair_notes(found)
    found_problems = problems(english, hinglish, pair_cards(english, hinglish))
    assert {problem.code for problem in found_problems} <= {"twin-differs"}
    return [str(problem).replace(f"{folder}/", "") for problem in found_problems]


def test_a_lost_command_is_told(tmp_path: Path) -> None:
    assert told_differences(tmp_path, r"So $v = \sqrt{2 g h}$ holds.", "Yahan $$v = 2 g h$$ hai.") == [
        r"two.md:17:7: the formula differs from one.md:17: \sqrt is missing here"
    ]
    assert told_differences(tmp_path, r"$x_{n}$", r"$x_{\hat{n}}$, $\sqrt{y}$") == [
        r"one.md:17:1: the formula differs from two.md:17: \hat is missing here"
    ]
    assert told_differences(tmp_path, "$$\n\\frac{a}{\\sqrt[3]{b}}\n$$", "text\n$$\n\\frac{a}{b}\n$$") == [
        r"two.md:18:1: the formula differs from one.md:17: \sqrt is missing here"
    ]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (r"$\sqrt{x}$ and $x$", "$x$"),
        (r"$\sqrt{x}$", r"$\sqrt{x}$ aur $x$"),
        (r"$\mathbf{x}$", "$x$"),
        (r"$\text{x}$", "$x$"),
        (r"$\sqrt{x} + \hat{y}$", "$x + y$"),
        (r"`$\sqrt{x}$`", "$x$"),
        (r"$\sqrt{x$", "$x$"),
        ("```\n$\\sqrt{x}$\n```", "$x$"),
    ],
)
def test_no_false_alarm(tmp_path: Path, one: str, two: str) -> None:
    assert told_differences(tmp_path, one, two) == []


def test_another_section_is_no_counterpart(tmp_path: Path) -> None:
    assert told_differences(tmp_path, r"$\sqrt{x}$" + "\n\n## Eye\n\ntext", "text\n\n## Eye\n\n$x$") == []


def test_paired_cards_are_counterparts_wherever_they_stand(tmp_path: Path) -> None:
    one = "text\n\n## Speed\n\nWhat is the fall speed of a stone? :: $\\sqrt{2 g h}$"
    two = "text\n\n## Gati\n\nStone ki fall speed kya hai? :: yeh $2 g h$"
    assert told_differences(tmp_path, one, two) == [
        r"two.md:21:37: the formula differs from one.md:21: \sqrt is missing here"
    ]


def test_formulas_of_a_text_with_their_places() -> None:
    text = "---\nx: $a$\n---\n> $b$ `$c$`\n> $$\n> d_{e}\n> $$\n```\n$f$\n```\n$g ==h==$ == $k$ ==\n\n$$\nopen"
    assert [(formula.tex, formula.line, formula.column) for formula in stated(text)] == [
        ("b", 4, 3),
        ("d_e", 5, 3),
        ("g", 11, 1),
        ("h", 11, 6),
        ("k", 11, 15),
    ]


def test_what_is_no_formula_and_no_fence() -> None:
    def tex(text: str) -> list[str]:
        return [formula.tex for formula in stated(text)]

    assert tex("$a$\n\n---\n\n$b$") == ["a", "b"]
    assert tex("```\n$f$\n~~~\n``` x\n$g$\n````\n$h$") == ["h"]
    assert tex("```ls $f$``` lists $g$\n\n~~~ `x`\n$h$\n~~~\n$i$") == ["g", "i"]
    assert tex("$$a$$ text\n$b$\n$$c$$") == ["a", "b", "c"]


def test_a_formula_that_only_the_card_shows_has_the_place_of_the_card(base: Told) -> None:
    bare = card("Fall speed?", "$2 g h$", 7)
    full = bare._replace(content=Basic("Fall speed?", r"$\sqrt{2 g h}$"))
    (problem,) = problems(base, base, [(bare, full)])
    assert (problem.place.line, problem.place.column) == (7, 1)


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the measured pages do not ship with the project")
def test_measured_pages() -> None:
    ((hinglish, english),) = pair_notes(read([SEEDS]))
    pairs = pair_cards(english, hinglish)
    assert lines(pairs) == [(109, 193), (140, 239)]
    (problem,) = problems(english, hinglish, pairs)
    assert (Path(problem.place.path).name[:3], problem.place.line) == ("000", 57)
    assert problem.message.endswith(r":55: \sqrt is missing here")

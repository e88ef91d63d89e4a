"""A review from end to end through a pipe, with a clock, notes and a history of the test's own."""

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from cards.collection import read
from cards.known import KnownCard
from cards.model import Basic, Card, Cloze, Deletion, Language, Origin, Place, Reversed
from mha_quiz.asking_cards import Asked, Sides, asked, may_be_typed, says_the_same, sides_of
from mha_quiz.card_text import clean
from mha_quiz.events import Answered, Sibling, Skill, Tried
from mha_quiz.families import FAMILIES
from mha_quiz.history import History
from mha_quiz.keys import ENTER, QUIT, REDRAW
from mha_quiz.question import draw
from mha_quiz.review import Notes, run_review
from mha_quiz.review_keys import Action, View, press
from mha_quiz.review_queue import Wanted, interleave, to_ask
from mha_quiz.review_screen import ReviewScreen
from mha_quiz.review_summary import Summary
from mha_quiz.schedule import Rating, State, preview, replay

TODAY = date(2026, 3, 2)
MORNING = datetime(2026, 3, 2, 8, tzinfo=UTC)
PLACE = Place("notes/a.md", 3, 1)


def card(content: Basic | Reversed | Cloze, line: int = 3, language: Language = Language.EN) -> Card:
    place = PLACE._replace(line=line)
    return Card(content, Origin.FLASHCARD, place, "Attention", (), language, ("Heads",), (), None)


def known(content: Basic | Reversed | Cloze, name: str = "one", **rest: object) -> KnownCard:
    return KnownCard(name, 0, card(content, **rest))  # type: ignore[arg-type]


def state(due: date, *, last: date = date(2026, 2, 1), reps: int = 3, lapses: int = 0) -> State:
    return State(due, 5.0, 5.0, reps, lapses, last)


@dataclass
class Clock:
    """Ten seconds pass between two looks."""

    now: datetime = MORNING

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=10)
        return self.now


@dataclass
class Desk:
    """One learner with a folder."""

    folder: Path
    cards: tuple[KnownCard, ...]
    twins: Mapping[str, str] = field(default_factory=dict)
    wanted: Wanted = field(default_factory=Wanted)
    problems: int = 0
    edit: Callable[[Place], None] = lambda place: None
    environ: Mapping[str, str] = field(default_factory=lambda: {"COLUMNS": "80"})

    def history(self) -> History:
        return History.open(self.folder / "history.db", computer="desk", rng=Random(1))

    def review(self, typed: str, start: datetime = MORNING) -> tuple[str, Summary]:
        out = io.StringIO()
        with self.history() as history:
            summary = run_review(
                lambda: Notes(of(*self.cards), self.twins, self.problems),
                history,
                clock=Clock(start),
                rng=Random(2),
                wanted=self.wanted,
                edit=self.edit,
                stdin=io.StringIO(typed),
                stdout=out,
                environ=self.environ,
            )
        return out.getvalue(), summary

    def events(self) -> list[tuple[Sibling | Skill, Rating | None]]:
        with self.history() as history:
            return [(it.key, it.rating) for it in history.events() if isinstance(it, Answered | Tried)]

    def states(self) -> Mapping[Sibling | Skill, State]:
        with self.history() as history:
            return history.states(TODAY)


ONE = known(Basic("Width of a head?", r"$d_k = \frac{d_{\text{model}}}{h}$"))
TWO = known(Basic("How many scores?", "n²"), "two", line=9)


def test_a_whole_review(tmp_path: Path) -> None:
    text, summary = Desk(tmp_path, (ONE, TWO)).review("\n3\n\n4\n")
    assert (
        text
        == """
1/2 · Attention · new
Width of a head?
space answer · t type · l language · s skip · u undo · e edit · ? help · q quit
dₖ = d_model/h
1 again 1 d · 2 hard 1 d · 3 good 2 d · 4 easy 8 d

2/2 · Attention · new
How many scores?
space answer · t type · l language · s skip · u undo · e edit · ? help · q quit
n²
1 again 1 d · 2 hard 1 d · 3 good 2 d · 4 easy 8 d

2 cards and 0 questions in 1 min 50 s.
0 again, 0 hard, 1 good, 1 easy
Due tomorrow: 0.
"""
    )
    assert (summary.ratings, summary.interrupted) == ({Rating.GOOD: 1, Rating.EASY: 1}, False)


def test_a_sign_within_a_line_is_shown_as_it_is_typed(tmp_path: Path) -> None:
    one = KnownCard("one", 0, card(Basic("EF?", "> 55 %"))._replace(in_line=True))
    text, _ = Desk(tmp_path, (one,)).review("t\n>55 %\n\n")
    assert text.split("\n")[2:6] == [
        "EF?",
        "space answer · t type · l language · s skip · u undo · e edit · ? help · q quit",
        "answer> > 55 %",
        "That is it.",
    ]


def test_a_whole_review_in_hinglish(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE,), wanted=Wanted(language=Language.HINGLISH))
    assert (
        desk.review("x\n3\n")[0]
        == """
1/1 · Attention · naya
Width of a head?
space jawab · t likho · l bhasha · s chhodo · u undo · e edit · ? madad · q bas
Is key ka yahan koi matlab nahi; ? se sab dikhenge.
space jawab · t likho · l bhasha · s chhodo · u undo · e edit · ? madad · q bas
Is key ka yahan koi matlab nahi; ? se sab dikhenge.
space jawab · t likho · l bhasha · s chhodo · u undo · e edit · ? madad · q bas

Jo khula tha, uski ginti nahi.
50 s mein 0 card aur 0 sawaal.
Kal due: 0.
"""
    )


def test_an_answer_after_midnight_counts_for_the_new_day(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE, TWO))
    before_midnight = datetime(2026, 3, 1, 23, 58, 55, tzinfo=UTC)
    text, summary = desk.review("\n1\n\n1\n\n3\n\n3\n", before_midnight)
    first, second, third, fourth = text.split(" · Attention")[1:]
    assert {key.card: (it.reps, it.last) for key, it in desk.states().items() if isinstance(key, Sibling)} == {
        "one": (2, date(2026, 3, 2)),
        "two": (1, date(2026, 3, 2)),
    }
    assert ["for practice" in it for it in (first, second, third, fourth)] == [False, False, False, True]
    days = preview(replay(None, [(Rating.AGAIN, date(2026, 3, 1))]), TODAY)
    assert f"3 good {days[Rating.GOOD]} d" in third
    assert days[Rating.GOOD] != preview(replay(None, [(Rating.AGAIN, TODAY)]), TODAY)[Rating.GOOD]
    assert (summary.right, summary.tested) == (1, 1)
    assert summary.tomorrow == sum(it.due <= TODAY + timedelta(days=1) for it in desk.states().values()) == 1


def test_what_is_due_is_told_of_the_new_day_after_midnight(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE,))
    _, summary = desk.review("\n1\n\n3\n", datetime(2026, 3, 1, 23, 59, 35, tzinfo=UTC))
    assert desk.states()[Sibling("one", 0)].due == date(2026, 3, 3)
    assert summary.tomorrow == 1


def test_why_nothing_may_be_due(tmp_path: Path) -> None:
    assert (
        Desk(tmp_path, (), problems=1).review("")[0]
        == """Nothing is due today.
The notes have 1 problem; `mha-quiz check` of the same notes tells them.

0 cards and 0 questions in 10 s.
Due tomorrow: 0.
"""
    )


def test_a_skill_that_this_version_does_not_have_is_left_alone(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ())
    practised(desk, "ZZ9")
    assert "Nothing is due today." in desk.review("")[0]


def test_too_coarse_to_the_end_is_hard(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ())
    practised(desk, "B1")
    value = int(asked_number("B1"))
    rounded = f"{float(f'{value:.3g}'):.0f}"
    before = len(desk.events())
    text, _ = desk.review(f"{rounded}\n{rounded}\n")
    assert "Close, but rounded" in text
    assert desk.events()[before:] == [(Skill("B1"), None), (Skill("B1"), Rating.HARD)]


def test_a_wrong_answer_comes_back_for_practice_and_counts_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE,))
    text, summary = desk.review("\n1\n\n3\n")
    assert "2/2 · Attention · asked again, for practice" in text
    assert desk.events() == [(Sibling("one", 0), Rating.AGAIN), (Sibling("one", 0), Rating.GOOD)]
    assert desk.states()[Sibling("one", 0)].reps == 1
    assert summary.tomorrow == 1


def test_undo_goes_back_over_the_whole_session(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE, TWO))
    text, summary = desk.review("\n1\ns\nu\nu\nu\n\n4\nq\n")
    assert text.count("Taken back.") == 2
    assert "There is nothing to undo." in text
    assert desk.events() == [(Sibling("one", 0), Rating.EASY)]
    assert list(desk.states()) == [Sibling("one", 0)]
    assert summary.ratings == {Rating.EASY: 1}
    with desk.history() as history:
        assert len(list(history.events(undone=True))) == 3


def test_undo_of_a_due_card_brings_its_state_back(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE,))
    desk.review("\n3\n", MORNING - timedelta(days=2))
    before = desk.states()
    text, _ = desk.review("\n1\nu\nq\n")
    assert desk.states() == before
    assert "What was open does not count." in text


def test_retention_counts_known_cards_only(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE, TWO))
    desk.review("\n3\n\n3\n", MORNING - timedelta(days=2))
    text, summary = desk.review("\n1\n\n3\n\n3\n")
    assert (summary.right, summary.tested) == (1, 2)
    assert "Remembered: 1 of 2 (50 %)." in text


def test_skip_leaves_the_card_due(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE,))
    text, _ = desk.review("s\n")
    assert desk.states() == {}
    assert "0 cards" in text


def test_cram_asks_all_and_records_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE, TWO))
    desk.review("\n4\n\n4\n")
    before = desk.events()
    desk.wanted = Wanted(cram=True)
    text, summary = desk.review("\n1\n\n3\n\n3\n")
    assert "cram: nothing is scheduled" in text
    assert "1 again · 2 hard · 3 good · 4 easy\n" in text
    assert summary.ratings == {Rating.AGAIN: 1, Rating.GOOD: 2}
    assert desk.events() == before


@pytest.mark.parametrize(("typed", "said"), [("D_K = d_model / h.", "That is it."), ("d/h", "You typed: d/h")])
def test_typed_answers_are_compared_in_a_pipe_and_behind_t(tmp_path: Path, typed: str, said: str) -> None:
    assert said in Desk(tmp_path, (ONE,)).review(f"{typed}\n3\n")[0]
    assert said in Desk(tmp_path, (TWO, ONE), wanted=Wanted(cram=True)).review(f"t\n{typed}\n3\n")[0]


def test_typed_hinglish_is_folded() -> None:
    (it,) = asked(known(Basic("Kab?", "Jab **bahut** zyada tokens hain"), language=Language.HINGLISH))
    assert says_the_same("jab bohot jyada tokens hain", it)
    assert not says_the_same("jab kam tokens hain", it)
    (english,) = asked(known(Basic("When?", "main loop")))
    assert not says_the_same("mein loop", english)


def test_a_long_answer_is_not_typed(tmp_path: Path) -> None:
    long = known(Basic("Why?", "word " * 30))
    assert "too long to be typed" in Desk(tmp_path, (long,)).review("t\nq\n")[0]
    assert [may_be_typed(it) for it in asked(known(Basic("a", "b\nc")))] == [False]


def test_reversed_and_cloze_siblings() -> None:
    assert [(it.key.ordinal, sides_of(it)) for it in asked(known(Reversed("a", "b")))] == [
        (0, Sides("a", "b", "b")),
        (1, Sides("b", "a", "a")),
    ]
    cloze = Cloze(("The ", Deletion(2, "scores", None), " meet ", Deletion(5, "softmax", "function"), "."))
    first, second = asked(known(cloze))
    assert (first.key, second.key) == (Sibling("one", 1), Sibling("one", 4))
    assert (sides(first), sides(second)) == (
        ("The […] meet softmax.", "The [scores] meet softmax."),
        ("The scores meet [function].", "The scores meet [softmax]."),
    )
    assert says_the_same("Softmax", second)


def sides(it: Asked) -> tuple[str, str]:
    both = sides_of(it)
    return shown(both.front), shown(both.back)


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_a_box_has_no_sides_where_terminals_differ_in_the_width() -> None:
    out = Terminal()
    screen = ReviewScreen(out, {"COLUMNS": "20", "NO_COLOR": "1"}, Language.EN)
    screen.side("हिंदी क्या है?")
    screen.side("日本語", back=True)
    assert [line.rstrip() for line in out.getvalue().split("\n")] == [
        " ──────────────────",
        "  हिंदी क्या है?",
        " ──────────────────",
        "┏━━━━━━━━━━━━━━━━━━┓",
        "┃ 日本語           ┃",
        "┗━━━━━━━━━━━━━━━━━━┛",
        "",
    ]


def shown(text: str, columns: int = 80) -> str:
    out = io.StringIO()
    ReviewScreen(out, {"COLUMNS": str(columns)}, Language.EN).side(text)
    return out.getvalue().removesuffix("\n")


def test_a_cloze_inside_a_formula() -> None:
    (it,) = asked(known(Cloze((r"$\frac{QK^T}{", Deletion(1, r"\sqrt{d_k}", None), "}$"))))
    assert sides(it) == ("QKᵀ/([…])", "QKᵀ/([√(dₖ)])")


def test_twins_are_shown_and_asked_once(tmp_path: Path) -> None:
    twin = known(Basic("Head ki width?", "d by h"), "zwei", language=Language.HINGLISH, line=7)
    twins = {ONE.id: twin.id, twin.id: ONE.id}
    desk = Desk(tmp_path, (ONE, twin), twins)
    text, _ = desk.review("l\n\nl\nl\n3\n")
    assert text.count("Head ki width?") == 2
    assert text.count("d by h") == 2
    assert desk.events() == [(Sibling("one", 0), Rating.GOOD)]
    assert "Nothing is due today." in Desk(tmp_path, (ONE, twin), twins, Wanted(language=Language.EN)).review("")[0]
    other = Desk(tmp_path / "..", (ONE, twin), twins, Wanted(language=Language.HINGLISH))
    other.folder = tmp_path / "hinglish"
    other.folder.mkdir()
    assert "Head ki width?" in other.review("q\n")[0]
    assert "There is no twin" in Desk(tmp_path, (TWO,)).review("l\nq\n")[0]


def test_an_edit_is_reread(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE, TWO))
    places = []

    def edit(place: Place) -> None:
        places.append(place)
        desk.cards = (known(Basic("Width, now?", "64")),)

    desk.edit = edit
    text, summary = desk.review("e\n\n3\n")
    assert places == [PLACE]
    assert "Width, now?" in text
    assert "The note was read again." in text
    assert "How many scores?" not in text
    assert sum(summary.ratings.values()) == 1


def test_a_card_rewritten_beyond_recognition_is_asked_as_a_new_one(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE, TWO))

    def rewrite(place: Place) -> None:
        desk.cards = (known(Basic("Something else?", "yes"), "new"), TWO)

    desk.edit = rewrite
    text, _ = desk.review("e\n\n3\ne\nq\n")
    assert "1/2 · Attention · new\nSomething else?\nThis is a new card now." in text
    assert desk.events() == [(Sibling("new", 0), Rating.GOOD)]
    desk.edit = lambda place: setattr(desk, "cards", ())
    text, _ = desk.review("e\n")
    assert "The card is gone" not in text  # nothing follows under which it could be told
    assert "0 cards" in text


def test_a_leech_is_told_with_its_place(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE,))
    for day in range(20, 0, -2):
        desk.review("\n1\n", MORNING - timedelta(days=day))
    text, _ = desk.review("q\n")
    assert "Forgotten 9 times: better rewrite it (e), notes/a.md:3:1" in text
    assert "Rewrite these, they do not stick: notes/a.md:3:1" in text


def practised(desk: Desk, family: str) -> None:
    with desk.history() as history:
        stamp = history.stamp(MORNING - timedelta(days=3))
        history.record(Tried(stamp, Skill(family), 1, 1, "1", "wrong", (), Rating.AGAIN, 0))


def asked_number(family: str) -> str:
    return str(draw(next(it for it in FAMILIES if it.id == family), Random(2).randrange(2**31)).answer)


def test_a_skill_that_is_due_is_a_fresh_question(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ())
    practised(desk, "B1")
    text, summary = desk.review(f"{asked_number('B1')}\n")
    assert "Right." in text
    assert summary.numbers == 1
    assert desk.events()[-1] == (Skill("B1"), Rating.GOOD)
    assert desk.states()[Skill("B1")].due > TODAY


@pytest.mark.parametrize(
    ("typed", "rating"), [("7\n", Rating.AGAIN), ("show\n", Rating.AGAIN), ("apples\nskip\n", None), ("q\n", None)]
)
def test_what_a_question_counts(tmp_path: Path, typed: str, rating: Rating | None) -> None:
    desk = Desk(tmp_path, ())
    practised(desk, "B1")
    before = desk.events()
    text, _ = desk.review(typed)
    assert desk.events()[len(before) :] == ([] if rating is None else [(Skill("B1"), rating)])
    assert ("1. " in text) is (rating is Rating.AGAIN)


def test_a_slip_is_told_at_the_end_and_undone_with_its_question(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE,))
    practised(desk, "B1")
    question = draw(next(it for it in FAMILIES if it.id == "B1"), Random(2).randrange(2**31))
    slip = question.slips[0]
    text, summary = desk.review(f"s\n{slip.value}\n")
    assert summary.slips == {f"B1/{slip.id}": 1}
    assert f"Slips met:\nB1/{slip.id}: {slip.en}\n" in text
    desk.wanted = Wanted(numbers=False)
    assert "B1" not in desk.review("q\n")[0]


def test_the_help_and_the_solution_of_a_number(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (), environ={"COLUMNS": "40"})
    practised(desk, "B1")
    text, _ = desk.review("?\nshow\n")
    assert "\ns: skip, it stays due\nu: take the last answer back\n" in text
    steps = text[text.index("\n1. ") : text.index("\n\n0 cards")].strip().split("\n")
    assert len(steps) > 4
    assert all(re.match(r"\d\. |   \S", step) for step in steps)


def test_numbers_can_be_undone_and_left_out(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (ONE, TWO))
    practised(desk, "B1")
    before = desk.states()
    assert "B1" not in replace(desk, wanted=Wanted(numbers=False)).review("q\n")[0]
    desk.review("s\n7\nu\nu\nq\n")
    assert desk.states() == before


def of(*cards: KnownCard) -> tuple[Asked, ...]:
    return tuple(it for card in cards for it in asked(card))


def keys(cards: tuple[Asked, ...]) -> list[Sibling]:
    return [it.key for it in cards]


BOTH = known(Reversed("a", "b"), "both", line=20)


def test_of_siblings_one_is_asked_a_day() -> None:
    way, back = Sibling("both", 0), Sibling("both", 1)
    assert keys(to_ask(of(BOTH), {}, {}, TODAY, Wanted())) == [way]
    due = {way: state(TODAY), back: state(TODAY - timedelta(days=1))}
    assert keys(to_ask(of(BOTH), {}, due, TODAY, Wanted())) == [back]
    answered = {way: state(TODAY + timedelta(days=9), last=TODAY), back: state(TODAY)}
    assert keys(to_ask(of(BOTH), {}, answered, TODAY, Wanted())) == []
    assert keys(to_ask(of(BOTH), {}, due, TODAY, Wanted(cram=True))) == [way, back]


def test_of_twins_that_are_both_known_one_is_asked_a_day() -> None:
    twin = known(Basic("Head ki width?", "d by h"), "zwei", language=Language.HINGLISH, line=7)
    twins = {"one": "zwei", "zwei": "one"}
    due = {Sibling("one", 0): state(TODAY), Sibling("zwei", 0): state(TODAY - timedelta(days=1))}
    assert keys(to_ask(of(ONE, twin), twins, due, TODAY, Wanted())) == [Sibling("zwei", 0)]


def test_the_way_back_of_a_known_card_is_asked_though_its_twin_is_known() -> None:
    twin = known(Reversed("aa", "bb"), "zwei", language=Language.HINGLISH, line=7)
    twins = {"both": "zwei", "zwei": "both"}
    later = state(TODAY + timedelta(days=9))
    seen = {Sibling("both", 0): later, Sibling("zwei", 0): later}
    assert keys(to_ask(of(BOTH, twin), twins, seen, TODAY, Wanted())) == [Sibling("both", 1)]


def test_new_cards_at_a_limit_that_holds_for_the_day() -> None:
    cards = of(*(known(Basic(f"q{at}", "a"), f"c{at}", line=at) for at in range(9)))
    assert keys(to_ask(cards, {}, {}, TODAY, Wanted(limit=3))) == keys(cards)[:3]
    seen = {key: state(TODAY + timedelta(days=2), last=TODAY, reps=1) for key in keys(cards)[:2]}
    assert keys(to_ask(cards, {}, seen, TODAY, Wanted(limit=3))) == keys(cards)[2:3]
    due = {key: state(TODAY) for key in keys(cards)[:4]}
    assert keys(to_ask(cards, {}, due, TODAY, Wanted(limit=0))) == keys(cards)[:4]


def test_ahead_takes_what_is_due_later() -> None:
    later = {Sibling("one", 0): state(TODAY + timedelta(days=3))}
    assert keys(to_ask(of(ONE), {}, later, TODAY, Wanted(ahead=2))) == []
    assert keys(to_ask(of(ONE), {}, later, TODAY, Wanted(ahead=3))) == [Sibling("one", 0)]


def test_a_card_of_a_known_twin_is_not_new() -> None:
    twin = known(Basic("Kya?", "b"), "zwei", language=Language.HINGLISH, line=7)
    twins = {ONE.id: twin.id, twin.id: ONE.id}
    assert keys(to_ask(of(ONE, twin), twins, {Sibling("zwei", 0): state(TODAY)}, TODAY, Wanted())) == [
        Sibling("zwei", 0)
    ]


def test_of_new_twins_in_one_language_that_is_not_wanted_one_is_asked() -> None:
    """Each card is in the language that its own words have, and so a twin may be in the same one."""
    pair = [known(Basic(f"Kya {name}?", "b"), name, language=Language.HINGLISH) for name in ("eins", "zwei")]
    twins = {"eins": "zwei", "zwei": "eins"}
    assert keys(to_ask(of(*pair), twins, {}, TODAY, Wanted(language=Language.EN))) == [Sibling("eins", 0)]


def test_interleaving_spreads_and_keeps_orders() -> None:
    assert "".join(interleave("abcdef", "12", "x")) == "ab1cxde2f"
    assert interleave("", "12", "") == ["1", "2"]


@pytest.mark.parametrize("back", [False, True])
def test_what_keys_mean(back: bool) -> None:
    view = View(back=back)
    assert press(view, ENTER, has_twin=False) == View(back=True)
    assert press(view, REDRAW, has_twin=False) == view
    assert press(view, QUIT, has_twin=False) is press(view, "q", has_twin=True) is Action.LEAVE
    assert press(view, "?", has_twin=False) == replace(view, help=True)
    assert press(replace(view, help=True), "?", has_twin=False) == view
    assert press(view, "l", has_twin=True) == replace(view, twin=True)
    assert (press(view, "3", has_twin=True) == Rating.GOOD) is back
    assert isinstance(press(view, "x", has_twin=True), View)


SIDE = r"""Intro with **bold**, `code | x`, ==mark==, $\frac{a+b}{c}$, x<sub>i</sub>, <pad> and [link](http://x.y).

1. first item that is long enough to be wrapped at forty columns
   - nested $x^2$
2. second

| name | value |
|:--|--:|
| `a|b` | $|x|$ |

> [!note] Title
> quoted

- [x] done

```python
def f(x):
	return x | 1
```

$$
\begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}
$$

![a picture|200](pics/head%201.png) ![[scheme.svg]]"""


def test_all_that_a_side_may_hold() -> None:
    assert (
        shown(SIDE, 40)
        == """\
Intro with bold, code | x, mark, (a +
b)/c, x_i, <pad> and link <http://x.y>.

1. first item that is long enough to be
   wrapped at forty columns
   • nested x²
2. second

+------+-------+
| name | value |
+------+-------+
| a|b  |   |x| |
+------+-------+

  Title
  quoted

 ☑ done

  def f(x):
      return x | 1

  [1, 0; 0, 1]

[a picture: pics/head 1.png]
[scheme.svg]"""
    )


def test_a_table_that_is_too_wide_is_told_in_lines() -> None:
    text = "| Variant | Used in | |\n|---|--:|---|\n| Grouped-query attention at work | `Llama` $3$ | b |\n| Multi-query | | c |"
    assert (
        shown(text, 40)
        == """\
+------------------------+---------+---+
| Variant                | Used in |   |
+------------------------+---------+---+
| Grouped-query          | Llama 3 | b |
| attention at work      |         |   |
| Multi-query            |         | c |
+------------------------+---------+---+"""
    )
    long = text.replace("Multi-query", "Multi-query-with-all-the-heads")
    assert (
        shown(long, 40)
        == """\
Variant: Grouped-query attention at work
Used in: Llama 3
b

Variant: Multi-query-with-all-the-heads
c"""
    )
    assert shown("| " + "x" * 40 + " | b |\n|---|---|", 40) == "x" * 40 + "\n· b"


@pytest.mark.parametrize("columns", [40, 63, 120, 200])
def test_no_line_is_wider_than_the_window(columns: int) -> None:
    text = SIDE + "\n\n" + "word " * 80 + "\n\n" + "x" * 300 + "\n\n```\n" + "y" * 300 + "\n```\n"
    lines = shown(text, columns).split("\n")
    assert max(map(len, lines)) <= columns
    assert sum(line.count("x") for line in lines) >= 300
    assert sum(line.count("y") for line in lines) >= 300


def test_a_note_cannot_steer_the_terminal() -> None:
    assert shown(clean("a\x1b[2Jb\x07\x9bc\ue000")) == "a\ufffd[2Jb\ufffd\ufffdc\ufffd"


def test_the_bundled_notes_can_be_shown_at_any_width() -> None:
    folder = Path(__file__).parents[1] / "mha_quiz" / "notes"
    cards = read((folder,)).cards
    for columns in (40, 200):
        for at, each in enumerate(cards):
            for it in asked(KnownCard(f"c{at}", 0, each)):
                for text in (sides_of(it).front, sides_of(it).back):
                    out = shown(text, columns)
                    assert out
                    assert max(map(len, out.split("\n"))) <= columns
                    assert "\\" not in out.replace("\\name", ""), out


def test_a_skill_is_asked_once_a_day_also_ahead(tmp_path: Path) -> None:
    desk = Desk(tmp_path, (), wanted=Wanted(ahead=30))
    practised(desk, "B1")
    assert desk.review(f"{asked_number('B1')}\n")[1].numbers == 1
    assert "Nothing is due today." in desk.review("")[0]

"""A review: flashcards that are due, new ones, and numeric questions of the skills that are due."""

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, TextIO

from cards.model import Place
from mha_quiz import review_wording as wording
from mha_quiz import schedule
from mha_quiz.asking_cards import Asked, may_be_typed, says_the_same, sides_of
from mha_quiz.card_text import plain
from mha_quiz.events import Answered, Event, Key, Sibling, Skill
from mha_quiz.history import History
from mha_quiz.keys import QUIT, Keys
from mha_quiz.progress import LEECH
from mha_quiz.question import Text
from mha_quiz.review_keys import Action, View, press
from mha_quiz.review_queue import Wanted, interleave, to_ask
from mha_quiz.review_screen import ReviewScreen
from mha_quiz.review_summary import Summary, tell_summary
from mha_quiz.schedule import Rating, State

if TYPE_CHECKING:
    from mha_quiz.review_numbers import Number


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes as they are now."""

    siblings: tuple[Asked, ...]
    twins: Mapping[str, str]
    """For the id of a card of `siblings` that of the same one in the other language, both ways."""
    problems: int


@dataclass(frozen=True, slots=True)
class _Done:
    """A step that can be taken back."""

    queue: tuple[Key, ...]
    """Before it."""
    key: Key
    state: State | None
    """Before it."""
    events: tuple[str, ...]
    rating: Rating | None
    """None of what was skipped, and of numeric questions."""
    counted: bool
    number: "Number | None" = None


class _Left(Exception):
    """The learner wants to stop."""


def run_review(
    load: Callable[[], Notes],
    history: History,
    *,
    clock: Callable[[], datetime],
    rng: Random,
    wanted: Wanted,
    edit: Callable[[Place], Text | None],
    stdin: TextIO,
    stdout: TextIO,
    environ: Mapping[str, str] = os.environ,
) -> Summary:
    """Ask what is due and tell how it went; each answer is in the history at once.

    `load` reads the notes, also after `edit` let the learner change them at a place, or told why not. `clock` knows its
    zone. Raises `HistoryUnusable`.
    """
    screen = ReviewScreen(stdout, environ, wanted.language)
    with Keys(stdin) as keys:
        review = _Review(load, history, clock, rng, wanted, edit, keys, screen, clock())
        return review.run()


@dataclass(slots=True)
class _Review:
    load: Callable[[], Notes]
    history: History
    clock: Callable[[], datetime]
    rng: Random
    wanted: Wanted
    edit: Callable[[Place], Text | None]
    keys: Keys
    screen: ReviewScreen
    began: datetime
    notes: Notes = field(init=False)
    asked: dict[Key, Asked] = field(init=False)
    states: dict[Key, State] = field(init=False)
    queue: tuple[Key, ...] = ()
    done: list[_Done] = field(default_factory=list)

    def run(self) -> Summary:
        self._read()
        today = self.began.date()
        self.states = self.history.states(today)
        cards = to_ask(tuple(self.asked.values()), self.notes.twins, self.states, today, self.wanted)
        self.queue = tuple(interleave([it.key for it in cards], self._skills(today)))
        interrupted = False
        message: Text | None = wording.problems(self.notes.problems) if self.notes.problems else None
        if not self.queue:
            self.screen.tell(wording.NOTHING)
            if message is not None:
                self.screen.tell(message, "yellow")
        try:
            while self.queue:
                message = self._ask(message)
        except _Left:
            pass
        except KeyboardInterrupt:
            interrupted = True
        return self._summary(interrupted)

    def _read(self) -> None:
        self.notes = self.load()
        self.asked = {it.key: it for it in self.notes.siblings}

    def _skills(self, today: date) -> list[Key]:
        if not self.wanted.numbers or self.wanted.cram:
            return []
        late = self.history.due(today + timedelta(days=self.wanted.ahead))
        due = [key for key in late if isinstance(key, Skill) and self.states[key].last < today]
        if not due:
            return []
        from mha_quiz.review_numbers import is_known  # it loads much

        return [key for key in due if is_known(key)]

    def _ask(self, message: Text | None) -> Text | None:
        """Ask the first of the queue; what to tell above the next."""
        match self.queue[0]:
            case Skill() as skill:
                return self._number(skill, message)
            case key if key in self.asked:
                return self._card(self.asked[key], message)
        self.queue = self.queue[1:]
        return wording.GONE

    def _card(self, it: Asked, message: Text | None) -> Text | None:
        twin = self._twin(it)
        view, last, began = View(message=message), None, self.clock()
        if it.card.type_in and self.keys.is_terminal:
            self._draw(it, twin, view, last, typing=True)
            view, last = self._typed(it, replace(view, message=None)), view
        while True:
            self._draw(it, twin, view, last)
            key = self.keys.key()
            if not self.keys.is_terminal and not view.back and len(key) > 1:
                view, last = replace(view, back=True, message=self._compared(key, it)), view
                continue
            match press(view, key, has_twin=twin is not None):
                case View() as pressed:
                    view, last = pressed, view
                case Rating() as rating:
                    self._rate(it, rating, self.clock() - began)
                    return None
                case Action.TYPE:
                    view, last = self._typed(it, view), view
                case Action.SKIP:
                    self._put_off(it.key)
                    return wording.SKIPPED
                case Action.UNDO if self.done:
                    self._undo()
                    return wording.UNDONE
                case Action.UNDO:
                    view, last = replace(view, message=wording.NO_UNDO), view
                case Action.EDIT:
                    with self.keys.usual():
                        complaint = self.edit(it.card.place)
                    return complaint or self._reread(it)
                case Action.LEAVE:
                    raise _Left

    def _reread(self, it: Asked) -> Text:
        """Read the notes again; a card that became another one gives its turn to that."""
        before = self.asked
        self._read()
        if it.key in self.asked:
            return wording.REREAD
        here = (it.card.place.path, it.card.place.line)
        instead = next(
            (
                key
                for key, new in self.asked.items()
                if key not in before and (new.card.place.path, new.card.place.line) == here
            ),
            None,
        )
        self.queue = self.queue[1:] if instead is None else (instead, *self.queue[1:])
        return wording.GONE if instead is None else wording.REWRITTEN

    def _typed(self, it: Asked, view: View) -> View:
        if not may_be_typed(it):
            return replace(view, message=wording.NOT_TYPED)
        line = self.keys.line(lambda: self.screen.prompt(wording.TYPE))
        if line is None:
            raise _Left
        if not line.strip():
            return view
        return replace(view, back=True, help=False, message=self._compared(line.strip(), it))

    def _compared(self, typed: str, it: Asked) -> Text:
        return wording.SAME if says_the_same(typed, it) else wording.typed(typed)

    def _twin(self, it: Asked) -> Asked | None:
        """The same sibling in the other language."""
        twin = self.notes.twins.get(it.key.card)
        return None if twin is None else self.asked.get(Sibling(twin, it.key.ordinal))

    def _draw(self, it: Asked, twin: Asked | None, view: View, last: View | None, *, typing: bool = False) -> None:
        """All of it on a terminal; what is new of it in a pipe."""
        screen, today = self.screen, self.clock().date()
        shown = twin if view.twin and twin else it
        sides = sides_of(shown)
        anew = screen.is_terminal or last is None or last.twin is not view.twin
        if anew:
            screen.clear()
            screen.tell(self._title(it, today), "bold")
            screen.side(sides.front)
            state = self.states.get(it.key)
            if state is not None and state.lapses >= LEECH:
                screen.tell(wording.leech(str(it.card.place), state.lapses), "yellow")
        if view.back and (anew or last is None or not last.back):
            screen.side(sides.back, back=True)
            for warning in shown.card.warnings:
                screen.tell(f"! {plain(warning)}", "bold yellow")
        if view.help:
            screen.tell_all(wording.HELP)
        if view.message is not None:
            screen.tell(view.message, "yellow")
        if view.back:
            screen.tell(wording.rating_keys(self._days(it, today)))
        else:
            screen.tell(wording.TYPE_FIRST if typing else wording.FRONT_KEYS, "dim")
        screen.stream.flush()

    def _title(self, it: Asked, today: date) -> str:
        at = len(self.done) + 1
        parts = [f"{at}/{len(self.done) + len(self.queue)}", it.card.deck.replace("::", " › ")]
        state = self.states.get(it.key)
        parts += [] if state else [wording.NEW.told(self.wanted.language)]
        counts = not self.wanted.cram and (state is None or state.last < today)
        if not counts and any(step.key == it.key and step.rating for step in self.done):
            parts.append(wording.AGAIN_LATER.told(self.wanted.language))
        if self.wanted.cram:
            parts.append(wording.CRAM.told(self.wanted.language))
        return " · ".join(part for part in parts if part)

    def _days(self, it: Asked, today: date) -> Mapping[Rating, int]:
        if self.wanted.cram:
            return {}
        return schedule.preview(self.states.get(it.key), today, self.history.plan())

    def _rate(self, it: Asked, rating: Rating, took: timedelta) -> None:
        events: tuple[Event, ...] = ()
        before = self.states.get(it.key)
        stamp = self.history.stamp(self.clock())
        if not self.wanted.cram:
            milliseconds = max(took // timedelta(milliseconds=1), 0)
            events = (Answered(stamp, it.key, rating, milliseconds),)
            self.history.record(*events)
            self.states[it.key] = schedule.next_state(before, rating, stamp.day, self.history.plan())
        counted = before is None or before.last < stamp.day
        self._step(it.key, events, before, rating, counted=counted)
        self.queue += (it.key,) if rating is Rating.AGAIN else ()

    def _step(
        self,
        key: Key,
        events: tuple[Event, ...],
        state: State | None,
        rating: Rating | None = None,
        number: "Number | None" = None,
        *,
        counted: bool = False,
    ) -> None:
        self.done.append(
            _Done(self.queue, key, state, tuple(event.stamp.id for event in events), rating, counted, number)
        )
        self.queue = self.queue[1:]

    def _put_off(self, key: Key) -> None:
        self._step(key, (), self.states.get(key))

    def _undo(self) -> None:
        step = self.done.pop()
        for event in step.events:
            self.history.undo(event, self.clock())
        self.queue = step.queue
        if step.state is None:
            self.states.pop(step.key, None)
        else:
            self.states[step.key] = step.state

    def _number(self, skill: Skill, message: Text | None) -> Text | None:
        from mha_quiz.review_numbers import ask_number

        self.screen.clear()
        if message is not None:
            self.screen.tell(message, "yellow")
        at = f"{len(self.done) + 1}/{len(self.done) + len(self.queue)}"
        number = ask_number(skill, at, self.rng, self.keys, self.screen, self.history, self.clock)
        if number is None:
            raise _Left
        if number.undo:
            if not self.done:
                return wording.NO_UNDO
            self._undo()
            return wording.UNDONE
        if not number.events:
            self._put_off(skill)
            return wording.SKIPPED
        self.history.record(*number.events)
        self._step(skill, number.events, self.states[skill], None, number)
        if self.keys.is_terminal:
            self.screen.tell(wording.NEXT, "dim")
            if self.keys.key() in ("q", QUIT):
                raise _Left
        return None

    def _summary(self, interrupted: bool) -> Summary:
        now = self.clock()
        tomorrow = now.date() + timedelta(days=1)
        states = self.history.states(now.date())
        rated = [step for step in self.done if step.rating is not None]
        tested = [step for step in rated if step.counted and step.state is not None]
        numbers = [step.number for step in self.done if step.number is not None and step.events]
        slips = [(f"{number.events[0].key.family}/{slip.id}", slip) for number in numbers for slip in number.slips]
        summary = Summary(
            Counter(step.rating for step in rated if step.rating is not None),
            sum(step.rating is not Rating.AGAIN for step in tested),
            len(tested),
            len(numbers),
            Counter(name for name, _ in slips),
            now - self.began,
            sum(
                state.due <= tomorrow and (key in self.asked or isinstance(key, Skill)) for key, state in states.items()
            ),
            interrupted,
        )
        keys = [key for key, state in self.states.items() if isinstance(key, Sibling) and state.lapses >= LEECH]
        places = sorted({str(self.asked[key].card.place) for key in keys if key in self.asked})
        tell_summary(summary, self.screen, dict(slips), places, left_open=bool(self.queue))
        return summary

"""What the history says about the learner: how much is kept, what comes, and where it is hard."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from mha_quiz.events import Answered, Event, Key, Skill, Tried
from mha_quiz.schedule import Rating, State

WEEKS = 12
FORECAST = 30
"""Days."""
HEATMAP = 53
"""Weeks."""
LEECH = 8
"""Lapses that make a leech; as in Anki."""
RECENT = 10
"""Answers by which a skill is judged."""
WEAKEST = 5
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Week:
    """Counted answers to what had been answered on an earlier day."""

    monday: date
    reviews: int
    right: int


@dataclass(frozen=True, slots=True)
class Weakness:
    """A skill whose latest answers went wrong."""

    family: str
    answers: int
    """At most `RECENT`."""
    right: int
    slips: tuple[tuple[str, int], ...]
    """Those ever made and how often, the most frequent first."""


@dataclass(frozen=True, slots=True)
class Leech:
    """What is forgotten again and again."""

    key: Key
    lapses: int
    reps: int


@dataclass(frozen=True, slots=True)
class Progress:
    """All of `mha-quiz stats`."""

    day: date
    answers: int
    """All that were rated, practice too."""
    weeks: tuple[Week, ...]
    """The last twelve, this one last."""
    forecast: tuple[int, ...]
    """How much comes due on each of thirty days; what is overdue counts today."""
    first_day: date
    """A Monday; the first day of `heatmap`."""
    heatmap: tuple[int, ...]
    """Answers of each day, today last."""
    weakest: tuple[Weakness, ...]
    leeches: tuple[Leech, ...]
    streak: int
    """Days in a row with an answer, up to today, or to yesterday if today has none yet."""
    longest_streak: int
    misdated: int
    """Answers dated later than tomorrow: a clock was wrong, and they do not count."""


def progress(events: Iterable[Event], states: Mapping[Key, State], today: date) -> Progress:
    """What happened up to `today`; `events` in the order of time, `states` of all that is still asked."""
    # An answer that another computer took back from Anki is there twice, at one millisecond.
    rated = list(
        {
            (event.key, event.stamp.at): event
            for event in events
            if isinstance(event, Answered | Tried) and event.rating is not None
        }.values()
    )
    answers = [event for event in rated if event.stamp.day <= today + _DAY]
    days = Counter(event.stamp.day for event in answers)
    first_day = today - timedelta(days=today.weekday(), weeks=HEATMAP - 1)
    streak, longest = _streaks(days, today)
    return Progress(
        today,
        len(answers),
        _weeks(answers, today),
        _forecast(states, today),
        first_day,
        tuple(days[first_day + timedelta(days=number)] for number in range((today - first_day).days + 1)),
        tuple(_weaknesses(answers)[:WEAKEST]),
        tuple(
            Leech(key, state.lapses, state.reps)
            for key, state in sorted(states.items(), key=lambda it: (-it[1].lapses, str(it[0])))
            if state.lapses >= LEECH
        ),
        streak,
        longest,
        len(rated) - len(answers),
    )


def _weeks(answers: Sequence[Answered | Tried], today: date) -> tuple[Week, ...]:
    reviews: Counter[date] = Counter()
    right: Counter[date] = Counter()
    last: dict[Key, date] = {}
    for event in answers:
        day, before = event.stamp.day, last.get(event.key)
        if before is None or before < day:
            last[event.key] = day
        if before is not None and before < day:
            monday = day - timedelta(days=day.weekday())
            reviews[monday] += 1
            right[monday] += event.rating is not Rating.AGAIN
    this = today - timedelta(days=today.weekday())
    mondays = [this - timedelta(weeks=back) for back in range(WEEKS - 1, -1, -1)]
    return tuple(Week(monday, reviews[monday], right[monday]) for monday in mondays)


def _forecast(states: Mapping[Key, State], today: date) -> tuple[int, ...]:
    due = Counter(max((state.due - today).days, 0) for state in states.values())
    return tuple(due[ahead] for ahead in range(FORECAST))


def weakest_first(events: Iterable[Event], states: Mapping[Key, State], today: date) -> tuple[str, ...]:
    """The families that were ever answered: those with mistakes in their latest answers before the others, which come
    in the order of the chance that they are forgotten."""
    answers = [event for event in events if isinstance(event, Tried) and event.rating is not None]
    weak = [weakness.family for weakness in _weaknesses(answers)]
    # The chance to recall falls with the days since the last answer, counted in stabilities.
    known = [(state.stability and -(today - state.last).days / state.stability, key) for key, state in states.items()]
    fading = [key.family for _, key in sorted(known, key=lambda it: (it[0], str(it[1]))) if isinstance(key, Skill)]
    return tuple(dict.fromkeys([*weak, *fading]))


def _weaknesses(answers: Sequence[Answered | Tried]) -> list[Weakness]:
    """All families with a mistake in their latest answers, the weakest first."""
    tries: dict[str, list[Tried]] = {}
    for event in answers:
        if isinstance(event, Tried):
            tries.setdefault(event.key.family, []).append(event)
    found = []
    for family, made in tries.items():
        recent = made[-RECENT:]
        right = sum(one.rating is not Rating.AGAIN for one in recent)
        slips = Counter(slip for one in made for slip in one.slips)
        if right < len(recent):
            found.append(Weakness(family, len(recent), right, tuple(slips.most_common())))
    return sorted(found, key=lambda it: (it.right / it.answers, -it.answers, it.family))


def _streaks(days: Iterable[date], today: date) -> tuple[int, int]:
    """The one that goes on, and the longest."""
    current = longest = length = 0
    before = date.min
    for day in sorted(days):
        length = length + 1 if day - before == _DAY else 1
        longest = max(longest, length)
        if day >= today - _DAY:
            current = length
        before = day
    return current, longest


def progress_json(found: Progress) -> dict[str, object]:
    """What `stats --json` prints."""
    return {
        "day": found.day.isoformat(),
        "answers": found.answers,
        "weeks": [
            {
                "monday": week.monday.isoformat(),
                "reviews": week.reviews,
                "right": week.right,
                "retention": week.right / week.reviews if week.reviews else None,
            }
            for week in found.weeks
        ],
        "forecast": list(found.forecast),
        "heatmap": {"first_day": found.first_day.isoformat(), "answers": list(found.heatmap)},
        "weakest": [
            {"family": it.family, "answers": it.answers, "right": it.right, "slips": dict(it.slips)}
            for it in found.weakest
        ],
        "leeches": [
            (
                {"family": it.key.family}
                if isinstance(it.key, Skill)
                else {"card": it.key.card, "ordinal": it.key.ordinal}
            )
            | {"lapses": it.lapses, "reps": it.reps}
            for it in found.leeches
        ],
        "streak": found.streak,
        "longest_streak": found.longest_streak,
        "misdated": found.misdated,
    }

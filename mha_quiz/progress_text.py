"""The learner's progress as lines of a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import zip_longest

from cards.kinds import counted
from mha_quiz.events import Key, Skill
from mha_quiz.progress import HEATMAP, Progress, Week

_SHADES = " .:+#"
"""None, few, some, many, very many answers; signs that every terminal has."""
_BAR = 40
_BEFORE_BAR = 28
_MARGIN = " " * 6
_NAMES = ("Mon", "", "Wed", "", "Fri", "", "Sun")


def progress_lines(found: Progress, names: Mapping[Key, str], width: int) -> Iterator[str]:
    """All that there is to tell; `names` tell what a key asks, its id stands in for one that is missing.

    Pictures and tables are at most `width` columns wide, 40 or more: of the year, the last weeks that fit are shown.
    """
    if not found.answers:
        yield "Nothing was answered yet."
        return
    yield counted(found.answers, "answer")
    if found.streak > 1:
        yield f"{found.streak} days in a row"
    if found.misdated:
        yield f"dated in the future by a wrong clock and not counted: {counted(found.misdated, 'answer')}"
    yield from ("", "Right when asked again, by week")
    bar = min(_BAR, width - _BEFORE_BAR)
    yield from (_week(week, bar) for week in found.weeks)
    yield from ("", "Coming due, today first")
    yield from _forecast(found.forecast, width)
    weeks = min(HEATMAP, width - len(_MARGIN))
    yield from ("", "A year of answers" if weeks == HEATMAP else f"{weeks} weeks of answers")
    yield from _heatmap(found, weeks)
    if found.weakest:
        yield from ("", "Weakest skills")
        for weak in found.weakest:
            slips = ", ".join(f"{slip} {times}x" for slip, times in weak.slips)
            name = names.get(Skill(weak.family), "")
            yield f"  {weak.family:4} {weak.right} of {weak.answers} right  {name}{f' ({slips})' if slips else ''}"
    if found.leeches:
        yield from ("", "Forgotten again and again; say it in other words, or in smaller pieces")
        for leech in found.leeches:
            yield f"  {leech.lapses:3} times  {names.get(leech.key, str(leech.key))}"


def _week(week: Week, bar: int) -> str:
    if not week.reviews:
        return f"  {week.monday}     -"
    share = week.right / week.reviews
    return f"  {week.monday}  {share:4.0%} of {week.reviews:<5} {'#' * round(share * bar)}"


def _forecast(forecast: Sequence[int], width: int) -> Iterator[str]:
    """Ten days a line, or five."""
    cell = max(len(str(number)) for number in forecast) + 1
    days = 10 if len(_MARGIN) + 10 * cell <= width else 5
    for start in range(0, len(forecast), days):
        yield f"  +{start:<3}" + "".join(f"{number:>{cell}}" for number in forecast[start : start + days])


def _heatmap(found: Progress, last: int) -> Iterator[str]:
    """A column a week, a row for each day of the week."""
    most = max(found.heatmap)
    shades = [_SHADES[-(-count * (len(_SHADES) - 1) // most)] if most else " " for count in found.heatmap]
    weeks = [shades[start : start + 7] for start in range(0, len(shades), 7)][-last:]
    yield _MARGIN + _months(found, last)
    for name, row in zip(_NAMES, zip_longest(*weeks, fillvalue=" "), strict=True):
        yield f"  {name:3} {''.join(row)}".rstrip()


def _months(found: Progress, last: int) -> str:
    """The first letters of each month over its first whole week, if there is room."""
    names = [f"{found.first_day + timedelta(weeks=HEATMAP - last + week):%b}" for week in range(last)]
    line = ""
    for week, name in enumerate(names):
        if len(line) <= week:
            begins = week == 0 or name != names[week - 1]
            line += f"{name} " if begins and set(names[week : week + 4]) == {name} and week <= last - 3 else " "
    return line.rstrip()

"""What keys mean while a flashcard is shown."""

from dataclasses import dataclass, replace
from enum import Enum, auto

from mha_quiz import review_wording as wording
from mha_quiz.keys import ENTER, QUIT, REDRAW
from mha_quiz.question import Text
from mha_quiz.schedule import Rating


class Action(Enum):
    TYPE = auto()
    SKIP = auto()
    UNDO = auto()
    EDIT = auto()
    LEAVE = auto()


@dataclass(frozen=True, slots=True)
class View:
    """What of a card is on the screen."""

    back: bool = False
    twin: bool = False
    help: bool = False
    message: Text | None = None


_ACTIONS = {
    "t": Action.TYPE,
    "s": Action.SKIP,
    "u": Action.UNDO,
    "e": Action.EDIT,
    "q": Action.LEAVE,
    QUIT: Action.LEAVE,
}


def press(view: View, key: str, *, has_twin: bool) -> View | Action | Rating:
    """What a key means while a card is shown."""
    quiet = replace(view, message=None, help=False)
    if key == ENTER:
        return replace(quiet, back=True)
    if key == REDRAW:
        return view
    if key == "?":
        return replace(quiet, help=not view.help)
    if key == "l":
        return replace(quiet, twin=not view.twin) if has_twin else replace(quiet, message=wording.NO_TWIN)
    if key in _ACTIONS:
        return _ACTIONS[key]
    if view.back and key in ("1", "2", "3", "4"):
        return Rating(int(key))
    return replace(quiet, message=wording.UNKNOWN_KEY)

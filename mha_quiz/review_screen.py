"""How a review looks: panels on a terminal, plain lines elsewhere."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TextIO

from rich import box
from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.text import Text as Line

from cards.model import Language
from mha_quiz.card_text import Look, card_text
from mha_quiz.question import Text
from mha_quiz.screen import Screen


@dataclass(frozen=True, slots=True)
class ReviewScreen:
    stream: TextIO
    environ: Mapping[str, str]
    language: Language

    @property
    def is_terminal(self) -> bool:
        return self.stream.isatty()

    def clear(self) -> None:
        """A new sheet on a terminal, whose earlier lines can still be scrolled back to; elsewhere an empty line."""
        if not self.is_terminal or self.environ.get("TERM") == "dumb":
            self.stream.write("\n")
        else:
            self.stream.write("\x1b[H\x1b[2J")

    def tell(self, text: Text | str, style: str = "") -> None:
        said = text if isinstance(text, str) else text.told(self.language)
        self._print(Line(self._screen.shown(said), style))

    def tell_all(self, texts: Iterable[Text], style: str = "") -> None:
        for text in texts:
            self.tell(text, style)

    def step(self, number: int, text: Text) -> None:
        """A step of a solution."""
        self._screen.tell(f"{number}. {text.told(self.language)}", hanging=3)

    def side(self, text: str, *, back: bool = False) -> None:
        """A side of a card, which is clean Markdown."""
        self._boxed(card_text(text, Look(self._screen.shown, self._draws)), back, open_at_sides=_has_unsure_width(text))

    def sentence(self, text: Text) -> None:
        """A question that is no Markdown."""
        self._boxed(Line(self._screen.shown(text.told(self.language))), back=False)

    def prompt(self, text: Text) -> None:
        self._screen.prompt(text.told(self.language))

    def _boxed(self, content: RenderableType, back: bool, *, open_at_sides: bool = False) -> None:
        if not self.is_terminal:
            self._print(content)
            return
        frame = (box.HEAVY if back else box.ROUNDED) if self._draws else box.ASCII
        if self._draws and open_at_sides:
            frame = box.HORIZONTALS
        self._print(Panel(content, box=frame, border_style="green" if back else "", padding=(0, 1)))

    @property
    def _screen(self) -> Screen:
        return Screen(self.stream, self.environ)

    @property
    def _draws(self) -> bool:
        return self.is_terminal and self._screen.shown("─") == "─"

    def _print(self, content: RenderableType) -> None:
        plain = bool(self.environ.get("NO_COLOR")) or self.environ.get("TERM") == "dumb" or not self.is_terminal
        console = Console(
            file=self.stream,
            width=self._screen.width(),
            color_system=None if plain else "standard",
            force_terminal=self.is_terminal,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            _environ={},
        )
        if self.is_terminal:
            console.print(content)
            return
        with console.capture() as captured:
            console.print(content)
        for line in captured.get().removesuffix("\n").split("\n"):
            self.stream.write(line.rstrip() + "\n")


def _has_unsure_width(text: str) -> bool:
    """Whether terminals differ in how wide they show it: vowel signs of Hindi and its like take a column, or none."""
    return any(unicodedata.category(sign) == "Mc" for sign in text)

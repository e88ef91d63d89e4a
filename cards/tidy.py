"""A pasted page as the Markdown note its author would have written, front matter included."""

from dataclasses import dataclass

import yaml

from cards import front_matter, language, pasted
from cards.settings import Settings


@dataclass(frozen=True, slots=True)
class Tidied:
    text: str
    remarks: tuple[str, ...]
    """What was put together again, and what could not be, a line each."""


def tidy(text: str, path: str, settings: Settings) -> Tidied:
    """The page as Markdown with `title`, `lang`, `tags` and `derived: true` in its front matter.

    A text that has front matter is a note already and stays as it is.
    """
    if front_matter.read(text.removeprefix("\ufeff").split("\n"), path)[0].line_count:
        return Tidied(text, (f"{path}: has front matter, so it is a note already; nothing was changed",))
    page = pasted.convert(text, path, settings)
    entries: dict[str, str | bool | list[str]] = {"title": page.title} if page.title else {}
    entries["lang"] = str(language.of_file(page.markdown, path=path, declared=None, title=page.title))
    if page.tags:
        entries["tags"] = list(page.tags)
    entries["derived"] = True
    if page.breadcrumb:
        entries["breadcrumb"] = page.breadcrumb
    matter = yaml.safe_dump(entries, allow_unicode=True, sort_keys=False, width=float("inf"))
    return Tidied(f"---\n{matter}---\n\n{page.markdown}", tuple(map(str, page.problems)))

"""The indentation that the lines of an answer share, which is none of their text."""

from collections.abc import Iterator, Sequence


def dedented(lines: Sequence[tuple[int | None, str]]) -> Iterator[str]:
    """The lines without the indentation that all of them share.

    The first numbers are columns already taken off; None for what stands behind the end of a comment.
    """
    if any(indent == 0 and text and not text[0].isspace() for indent, text in lines):
        least = 0  # most often the first line is at the margin
    else:
        margins = [(indent, text[: len(text) - len(text.lstrip(" \t"))]) for indent, text in lines if text.strip()]
        least = min((indent + len(margin.expandtabs(4)) for indent, margin in margins if indent is not None), default=0)
    for indent, text in lines:
        if not least and indent == 0:
            yield text
            continue
        bare = text.lstrip(" \t")
        margin = text[: len(text) - len(bare)]
        if indent is None or indent + len(margin.expandtabs(4)) <= least:
            yield bare
        else:
            yield _cut(margin, least - indent) + bare


def _cut(margin: str, columns: int) -> str:
    """The margin without its first columns; negative ones are added."""
    taken = 0
    for index, char in enumerate(margin):
        if taken >= columns:
            return " " * (taken - columns) + margin[index:]
        taken += 4 - taken % 4 if char == "\t" else 1
    return " " * max(taken - columns, 0)

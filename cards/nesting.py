"""In which list items and quotes a line lies, as cards see it."""

from cards.lines import Line
from cards.outline import Container, Item, Quote


def home_of(line: Line, quotes: tuple[Quote, ...] | None = None, column: int | None = None) -> Item | None:
    """The list item that a separator line lies in: the innermost one whose mark it is indented deeper than.

    `quotes` and `column` say so where the card does not lie in all quotes of its separator line.
    """
    column = line.indent if column is None else column
    for container in reversed(line.containers):
        if isinstance(container, Quote):
            if quotes is None or any(container is quote for quote in quotes):
                return None
        elif container.indent < column:
            return container
    return None


def holding_depth(line: Line, quotes: tuple[Quote, ...], home: Item | None) -> int:
    """How many of the line's containers hold the card as a whole: up to its home, or to the innermost of its quotes."""
    holder = home or (quotes[-1] if quotes else None)
    for depth in range(len(line.containers), 0, -1):
        if line.containers[depth - 1] is holder:
            return depth
    return 0


def lies_within(line: Line, quotes: tuple[Quote, ...], home: Item | None) -> bool:
    """Whether the line lies in all the quotes and, deeper than its mark, in the home item."""
    if quotes and (
        len(line.quotes) < len(quotes)
        or any(mine is not theirs for mine, theirs in zip(line.quotes, quotes, strict=False))
    ):
        return False
    if home is None:
        return True
    deeper = line.kind != "text" or len(line.quotes) > len(quotes) or line.indent > home.indent
    return deeper and any(container is home for container in line.containers)


def goes_on_with(before: Container, now: Container, number: int) -> bool:
    """Whether an item that begins in the line goes on with the list of the other."""
    return (
        isinstance(before, Item)
        and isinstance(now, Item)
        and now.first == number
        and (before.indent, before.mark[-1], before.box) == (now.indent, now.mark[-1], now.box)
    )


def begun_item(line: Line) -> Item | None:
    """The innermost list item that begins in the line."""
    item = line.item
    return item if item is not None and item.first == line.number else None

"""The sizes of a layer at a place of a note: as they were stated, follow from one another, or words tell meanwhile."""

from collections.abc import Iterator, Mapping, Sequence

from mha_quiz.claims.context import Context, whole
from mha_quiz.claims.layer import WORD_MARK
from mha_quiz.claims.passages import Passage

Sizes = Mapping[str, int]


def sizes_at(context: Context, passage: Passage, offset: int) -> dict[str, int]:
    """The sizes of a layer that hold at a place; what is not stated is worked out from the others."""
    sizes = _stated(context, passage, offset)
    for name in _otherwise(sizes, context, passage, offset):
        sizes.pop(name, None)
    return _worked_out(sizes)


def key_width(context: Context, passage: Passage) -> int | None:
    """d_k as it was stated last, or follows; words may have told another one meanwhile."""
    return _worked_out(_stated(context, passage, 0)).get("d_k")


def _stated(context: Context, passage: Passage, offset: int) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for name in ("n", "m", "h", "d_model", "d", "d_k", "d_v"):
        setting = context.nearest(name, passage, offset)
        value = whole(setting.value) if setting else None
        if value is not None:
            sizes[name] = value
    return sizes


def _worked_out(sizes: dict[str, int]) -> dict[str, int]:
    if "d_model" not in sizes and "d" in sizes:
        sizes["d_model"] = sizes["d"]
    d, h, k = sizes.get("d_model"), sizes.get("h"), sizes.get("d_k")
    if k is None and d and h and d % h == 0:
        sizes["d_k"] = d // h
    if d is None and h and k:
        sizes["d_model"] = h * k
    if "d_v" not in sizes and "d_k" in sizes:
        sizes["d_v"] = sizes["d_k"]
    return sizes


_SAID: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "tokens": (("n", "m"), ("n", "m")),
    "heads": (("h",), ("h", "d_k", "d_v")),
    "width": (("d_model", "d", "d_k", "d_v"), ("d_model", "d", "h", "d_k", "d_v")),
}
"""For what words tell: the sizes it may be, and those that it changes if it is none of them."""


def _otherwise(sizes: Sizes, context: Context, passage: Passage, offset: int) -> Iterator[str]:
    """The sizes that words have meanwhile told otherwise: `n = 10. … With 20 tokens the output is …`."""
    for word, (meant, changed) in _SAID.items():
        known = {sizes[name] for name in meant if name in sizes}
        said = context.nearest(WORD_MARK + word, passage, offset)
        if said is None:
            is_other = context.is_set_in(WORD_MARK + word, passage)
        else:
            settings = [setting for name in meant if (setting := context.nearest(name, passage, offset))]
            latest = max((setting.passage.number for setting in settings), default=0)
            is_other = latest <= said.passage.number <= passage.number and whole(said.value) not in known
        if known and is_other:
            yield from changed

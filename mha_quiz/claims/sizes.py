"""The sizes of a layer at a place of a note, as they were stated or follow from one another; and whether they still hold."""

import re
from collections.abc import Collection, Mapping, Sequence

from mha_quiz.claims.context import Context, Setting, position, whole
from mha_quiz.claims.layer import WORD_MARK
from mha_quiz.claims.passages import Passage
from mha_quiz.claims.wording import sentence

Sizes = Mapping[str, int]
SIZES = ("n", "m", "h", "d_model", "d", "d_k", "d_v")


def sizes_at(context: Context, passage: Passage, offset: int) -> dict[str, int]:
    """The sizes of a layer that hold at a place; what is not stated is worked out from the others."""
    sizes: dict[str, int] = {}
    for name in SIZES:
        setting = context.nearest(name, passage, offset)
        value = whole(setting.value) if setting else None
        if value is not None:
            sizes[name] = value
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


_GROUPS: Sequence[Sequence[str]] = (
    ("n", "T", "seq_len", f"{WORD_MARK}tokens"),
    ("h", "n_heads", "num_heads", f"{WORD_MARK}heads"),
    ("d_model", "d", "embed_dim", "n_embd", f"{WORD_MARK}width"),
    ("d_k", "d_head", f"{WORD_MARK}head width"),
)
"""Names and words for one size."""
_NEW_THOUGHT = re.compile(r"\n|[.;:!?](?:\s|$)")


def are_stale(names: Collection[str], context: Context, passage: Passage, offset: int) -> bool:
    """Whether one of the sizes was told before others of the layer changed, or only later: `d_k = 64. … With 16 heads …`."""
    told = [setting for name in names if (setting := context.nearest(name, passage, offset))]
    values = {setting.value for setting in told}
    return any(_is_stale(setting, values, context, passage, offset) for setting in told)


def _is_stale(used: Setting, values: Collection[object], context: Context, passage: Passage, offset: int) -> bool:
    _, end = sentence(passage.text, offset)
    for group in _GROUPS:
        told = (each for name in group for each in context.told_before(name, passage, end))
        known = sorted((each for each in told if position(each) != (passage.number, offset)), key=position)
        before = [each for each in known if position(each) <= position(used) and _is_round(each, used)]
        behind = [
            each
            for each in known
            if position(each) > position(used)
            and not (each.name.startswith(WORD_MARK) and each.value in values)
            and _is_another_thought(used, each)
        ]
        if known and _follows(used, passage, offset):
            return True
        if before and any(each.value != before[-1].value for each in behind):
            return True
    return False


def _is_round(outer: Setting, inner: Setting) -> bool:
    """Whether one stands under the same headings as the other, or above them."""
    return inner.passage.scope[: len(outer.passage.scope)] == outer.passage.scope


def _follows(setting: Setting, passage: Passage, offset: int) -> bool:
    """Whether it stands in a later sentence than the place."""
    if setting.passage is not passage:
        return setting.passage.number > passage.number
    return _NEW_THOUGHT.search(passage.text, offset, setting.offset) is not None


def _is_another_thought(one: Setting, later: Setting) -> bool:
    return one.passage is not later.passage or _NEW_THOUGHT.search(one.passage.text, one.end, later.offset) is not None

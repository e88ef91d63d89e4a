"""Chains of equalities: `d_k = 512/8 = 64`, in formulas, in plain text, or across the border of both."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain as chained

from mha_quiz.claims.passages import Passage
from mha_quiz.claims.terms import Term, Unreadable, term
from mha_quiz.claims.tokens import Sort, Token, number_word


@dataclass(frozen=True, slots=True)
class Segment:
    """Tokens with nothing but arithmetic between them."""

    tokens: tuple[Token, ...]
    before: Token | None
    after: Token | None
    """The neighbours, borders of formulas left out."""


@dataclass(frozen=True, slots=True)
class Chain:
    sides: tuple[Term | None, ...]
    """None where a side cannot be read."""
    approximate: tuple[bool, ...]
    """For each side, whether `≈` stands before it or further left."""
    start: int
    end: int
    math: bool
    names: bool
    """Whether a letter stands in it."""
    run: Segment | None = None
    """In which it stands; None if it is said in words."""
    following: Segment | None = None


def segments(tokens: Sequence[Token]) -> Iterator[Segment]:
    """All runs of arithmetic, in order; brackets round whole equalities, as in `(n = 10, h = 8)`, are no part of them."""
    for segment in _runs(tokens):
        yield from segments(segment.tokens[1:-1]) if _is_aside(segment) else (segment,)


def _is_aside(segment: Segment) -> bool:
    if segment.tokens[0].text not in ("(", "[") or segment.tokens[-1].text not in (")", "]"):
        return False
    depth, says = 0, False
    for token in segment.tokens[1:-1]:
        if token.sort == "sign":
            depth += (token.text in "([{") - (token.text in ")]}")
        if depth < 0:
            return False
        says = says or (token.sort == "relation" and depth == 0)
    return says


def _runs(tokens: Sequence[Token]) -> Iterator[Segment]:
    first: int | None = None
    depth = 0
    for index, token in enumerate(tokens):
        if token.sort == "sign":
            depth += (token.text in "([{") - (token.text in ")]}")
        apart = _parts(tokens, index, depth)
        if first is not None and (apart or _juxtaposed(tokens[index - 1], token)):
            yield from _balanced(tokens, first, index)
            first, depth = None, depth if token.text in "([{" and not apart else 0
        if first is None and not apart and token.sort != "border":
            first = index
            depth = int(token.text in "([{")
    if first is not None:
        yield from _balanced(tokens, first, len(tokens))


def _parts(tokens: Sequence[Token], index: int, depth: int) -> bool:
    """Whether no arithmetic goes over this token."""
    token = tokens[index]
    if token.sort in ("number", "name", "relation"):  # most of them
        return False
    if token.text in ("&", r"\\") and _is_alignment(tokens, index):
        return False
    match token.sort:
        case "break" | "arrow":
            return True
        case "word":
            before = _neighbour(tokens, index, -1)
            after_number = before is not None and before.sort == "number"
            return not (after_number and (number_word(token) or _is_counted(tokens, index)))
        case "border":
            return not _joins(_neighbour(tokens, index, -1), _neighbour(tokens, index, 1))
        case "sign":
            if token.text in (",", "&"):
                return depth <= 0
            return token.text == "…" and depth <= 0 and not _follows_sign(tokens, index)
    return False


def _is_alignment(tokens: Sequence[Token], index: int) -> bool:
    r"""The `&` next to a relation, and the `\\` of a row before one: a chain goes on over them."""
    token = tokens[index]
    if token.text == "&":
        return any(near is not None and near.sort == "relation" for near in map(_at(tokens), (index - 1, index + 1)))
    if token.text != r"\\":
        return False
    after = _at(tokens)(index + 1)
    if after is not None and after.text == "&":
        after = _at(tokens)(index + 2)
    return after is not None and after.sort == "relation"


def _at(tokens: Sequence[Token]) -> Callable[[int], Token | None]:
    return lambda index: tokens[index] if 0 <= index < len(tokens) else None


_COUNTED = frozenset(
    [
        "heads",
        "layers",
        "dims",
        "dimensions",
        "tokens",
        "parameters",
        "params",
        "weights",
        "matrices",
        "values",
        "numbers",
        "entries",
        "scores",
        "rows",
        "columns",
        "blocks",
        "positions",
        "sequences",
        *("steps", "samples", "examples", "epochs", "batches", "gpus", "keys", "queries", "vectors", "elements"),
        *("pairs", "groups", "maps", "copies", "users", "documents", "pages", "words"),
    ]
)


def _is_counted(tokens: Sequence[Token], index: int) -> bool:
    """A word between factors, as in `8 heads × 64 dims = 512`, that says what a number counts."""
    if tokens[index].text.lower() not in _COUNTED:
        return False
    after = _neighbour(tokens, index, 1)
    if after is None or after.sort != "relation":
        return after is not None and after.text in ("×", "*", "/")
    return index > 1 and tokens[index - 2].text in ("×", "*", "/")


def _follows_sign(tokens: Sequence[Token], index: int) -> bool:
    return bool(index) and tokens[index - 1].sort == "sign" and tokens[index - 1].text in "+-*×"


def _joins(before: Token | None, after: Token | None) -> bool:
    """Whether an equality goes over the border of a formula between these tokens."""
    if before is None or after is None:
        return False
    if before.sort == "number" and (number_word(after) or after.sort == "unit"):
        return True
    return any(token.sort == "relation" or token.text in ("×", "*") for token in (before, after))


_MOST_BORDERS = 8
"""Between two neighbours; there are more only between empty formulas."""


def _neighbour(tokens: Sequence[Token], index: int, step: int) -> Token | None:
    for _ in range(_MOST_BORDERS):
        index += step
        if not 0 <= index < len(tokens):
            return None
        if tokens[index].sort != "border":
            return tokens[index]
    return None


def _juxtaposed(before: Token, token: Token) -> bool:
    """Two operands with a blank between them in plain text: `8 512`."""
    if before.math or token.math or token.start == before.end:
        return False
    ends = before.sort in ("number", "name", "unit") or before.text in (")", "]") or number_word(before) is not None
    return ends and (token.sort in ("number", "name") or token.text in ("(", "[", "sqrt"))


def _balanced(tokens: Sequence[Token], first: int, end: int) -> Iterator[Segment]:
    """The run, cut at brackets without partner and at the commas behind them."""
    opened: list[list[int]] = []
    """Each with the commas inside."""
    cuts = []
    for index, token in enumerate(tokens[first:end], first):
        if token.sort != "sign":
            continue
        if token.text in "([{":
            opened.append([index])
        elif token.text == "," and opened:
            opened[-1].append(index)
        elif token.text in ")]}":
            if opened:
                opened.pop()
            else:
                cuts.append(index)
    start = first
    for cut in (*sorted([*cuts, *chained.from_iterable(opened)]), end):
        run = tuple(
            token
            for token in tokens[start:cut]
            if token.sort == "number"
            or (
                token.sort not in ("border", "break")
                and token.text != "&"
                and (token.sort != "word" or number_word(token))
            )
        )
        if run:
            yield Segment(run, _neighbour(tokens, start, -1), _neighbour(tokens, cut - 1, 1))
        start = cut + 1


def split(tokens: Sequence[Token], sort: Sort) -> tuple[list[tuple[Token, ...]], list[Token]]:
    """The tokens cut at those of the sort outside brackets, and the tokens that cut."""
    parts: list[tuple[Token, ...]] = []
    cutting = []
    start = depth = 0
    for index, token in enumerate(tokens):
        if token.sort == "sign" and token.text in ("(", "[", "{"):
            depth += 1
        elif token.sort == "sign" and token.text in (")", "]", "}"):
            depth -= 1
        elif token.sort == sort and depth == 0:
            parts.append(tuple(tokens[start:index]))
            cutting.append(token)
            start = index + 1
    return [*parts, tuple(tokens[start:])], cutting


def chains(found: Sequence[Segment]) -> Iterator[Chain]:
    """The chains of equalities among all the segments of a passage."""
    for index, segment in enumerate(found):
        if all(token.sort != "relation" for token in segment.tokens):
            continue
        following = found[index + 1] if index + 1 < len(found) else None
        if (read := _chain(segment, following)) is not None:
            yield read


def parted_by_dashes(chain: Chain) -> Iterator[tuple[Chain, Chain]]:
    """The chains before and behind each minus between blanks, which may be a dash: `512 / 8 = 64 - √64 = 8`."""
    if chain.run is None or chain.math:
        return
    tokens = chain.run.tokens
    for at in range(1, len(tokens) - 1):
        before, token, behind = tokens[at - 1 : at + 2]
        if token.sort == "sign" and token.text == "-" and before.end < token.start and token.end < behind.start:
            parts = (_chain(Segment(run, None, None), None) for run in (tokens[:at], tokens[at + 1 :]))
            match tuple(parts):
                case Chain() as one, Chain() as other:
                    yield one, other


def _without_times(segment: Segment) -> tuple[Token, ...]:
    """The tokens of `2048² / 1024² = 4×` without the sign glued to its end."""
    match segment.tokens:
        case [*_, Token(sort="number") as number, Token(text="×") as sign]:
            after = segment.after
            alone = after is None or after.start > sign.end or after.sort == "break" or after.text in (",", ")")
            if alone and (sign.math or number.end == sign.start):
                return segment.tokens[:-1]
    return segment.tokens


MOST_SIDES = 200
"""Longer chains are no claims."""


def _chain(segment: Segment, following: Segment | None) -> Chain | None:
    parts, relations = split(_without_times(segment), "relation")
    if parts and not parts[-1]:  # a highlight's mark
        parts, relations = parts[:-1], relations[:-1]
    approximate = [False]
    if relations and (not parts[0] or parts[0][0].text == "^"):  # `Total = 3 · 4 = 12`, `total nd² = 4`
        parts, approximate = parts[1:], [relations[0].text == "≈"]
        relations = relations[1:]
    if not 2 <= len(parts) <= MOST_SIDES or not parts[0] or any(token.sort == "in" for token in segment.tokens):
        return None
    for relation in relations:
        approximate.append(approximate[-1] or relation.text == "≈")
    return Chain(
        tuple(map(readable, parts)),
        tuple(approximate),
        parts[0][0].start,
        max(part[-1].end for part in parts if part),
        any(token.math for token in segment.tokens),
        any(token.sort == "name" for token in segment.tokens),
        segment,
        following,
    )


def readable(tokens: Sequence[Token]) -> Term | None:
    try:
        return term(tokens)
    except Unreadable:
        return None


def stretch(passage: Passage, start: int, end: int) -> tuple[int, int]:
    """The stretch, with the dollar signs of the formulas that it covers from end to end."""
    index = max(bisect_right(passage.math, start, key=lambda formula: formula[0]) - 1, 0)
    while index < len(passage.math) and passage.math[index][0] < end:
        formula_start, formula_end = passage.math[index]
        index += 1
        inside = passage.text[formula_start:formula_end]
        opening = formula_start + len(inside) - len(inside.lstrip())
        closing = formula_end - len(inside) + len(inside.rstrip())
        if start == opening and end >= closing:
            start = _over(passage.text, formula_start, -1)
        if end == closing and start <= opening:
            end = _over(passage.text, formula_end, 1)
    return start, end


def _over(text: str, at: int, step: int) -> int:
    """Behind the dollar signs that end a formula, or before those that begin it."""
    if step > 0:
        while text[at : at + 1] == "$":
            at += 1
        return at
    while at and text[at - 1] == "$":
        at -= 1
    return at

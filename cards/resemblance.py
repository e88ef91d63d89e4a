"""Which changed card is which: by question, answer and place, and only where no other card is nearly as near."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from cards.likeness import (
    DELETION,
    Difference,
    Reading,
    Sight,
    asks_for_another,
    difference,
    folded,
    is_worth_a_look,
    read,
    similarity,
    topics,
)
from cards.own_words import OwnWords

_MARGIN = 0.04
_MARKS, _ENOUGH = 4, 40
"""So many of the rarest marks of a card lead to candidates, and more of them until there are enough."""
_FEW = 20
"""New cards: for so many it is quicker to search all cards for each of their words."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What a new card may be to an old one."""

    score: float
    """From 0 to 1; of a mere doubt, the most that could be said for it."""
    same: bool
    """Whether a person would call them one card; if not, the pair only puts others in doubt."""


@dataclass(frozen=True, slots=True)
class _Edit:
    """A question or an answer then and now."""

    old: Reading
    new: Reading
    kind: Difference
    share: float
    """How much of it is the same, from 0 to 1."""

    @property
    def both(self) -> frozenset[str]:
        """What both are about."""
        return frozenset(self.old.topic).intersection(self.new.topic)

    @property
    def goes_on(self) -> bool:
        """Whether only one has more words, and both are about two things at least."""
        return self.kind == Difference.MORE and len(self.both) >= 2

    @property
    def says_more(self) -> bool:
        """Whether one says all that the other says."""
        before, after = Counter(self.old.tokens), Counter(self.new.tokens)
        return before <= after or after <= before

    @property
    def is_alike(self) -> bool:
        return self.kind <= Difference.MORE or (self.kind == Difference.NUMBER and self.share >= 0.7)


def pair_alike(
    old: Sequence[Sight], new: Sequence[Sight], old_of: Mapping[int, int], *, retired: bool
) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Pair the cards that `old_of` leaves over: the pairs, and for each new card too close to call its old rivals."""
    used = set(old_of.values())
    left_old = [at for at in range(len(old)) if at not in used and old[at].retired == retired]
    left_new = [at for at in range(len(new)) if at not in old_of]
    if not left_old or not left_new:
        return {}, {}
    left = [*(old[at] for at in left_old), *(new[at] for at in left_new)]
    judge = _Judge(
        old, new, old_of, OwnWords(text for card in left for text in (card.question, card.answer, card.text))
    )
    verdicts = {}
    for old_at, new_at in _candidates(old, left_old, new, left_new):
        verdict = judge.judge(old[old_at], new[new_at])
        if verdict is not None:
            verdicts[old_at, new_at] = verdict
    return _settle(verdicts)


def _settle(verdicts: Mapping[tuple[int, int], _Verdict]) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Best pairs first; a pair with a rival within the margin is left apart, together with its rivals."""
    by_old: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    by_new: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for pair in verdicts:
        by_old[pair[0]].append(pair)
        by_new[pair[1]].append(pair)
    found: dict[int, int] = {}
    unsure: dict[int, tuple[int, ...]] = {}
    gone_old: set[int] = set()
    gone_new: set[int] = set()
    sure = (pair for pair, verdict in verdicts.items() if verdict.same)
    for pair in sorted(sure, key=lambda pair: (-verdicts[pair].score, pair)):
        old_at, new_at = pair
        if old_at in gone_old or new_at in gone_new:
            continue
        close = [
            rival
            for rival in by_old[old_at] + by_new[new_at]
            if rival != pair
            and rival[0] not in gone_old
            and rival[1] not in gone_new
            and verdicts[rival].score > verdicts[pair].score - _MARGIN
        ]
        if close:
            for at in {new_at} | {rival[1] for rival in close}:
                unsure[at] = tuple(sorted({o for o, n in [pair, *close] if n == at}))
        else:
            found[new_at] = old_at
        for o, n in [pair, *(rival for rival in close if verdicts[rival].same)]:
            gone_old.add(o)
            gone_new.add(n)
    return found, unsure


def _candidates(
    old: Sequence[Sight], left_old: Sequence[int], new: Sequence[Sight], left_new: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """The pairs worth a look: those that share a text, a topic, a place or a rare word."""
    where: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at in left_old:
        for mark in _marks(old[at]):
            where[mark].append(at)
    for new_at in left_new:
        marks = sorted((mark for mark in _marks(new[new_at]) if mark in where), key=lambda mark: len(where[mark]))
        found: set[int] = set()
        for rank, mark in enumerate(marks):
            if rank >= _MARKS and len(found) >= _ENOUGH:
                break
            found.update(where[mark])
        yield from ((at, new_at) for at in sorted(found) if old[at].is_cloze == new[new_at].is_cloze)


def _marks(card: Sight) -> Iterator[Hashable]:
    question, answer = read(card.question), read(card.answer)
    yield "topic", card.note, frozenset(question.topic)
    yield "answer", card.note, answer.text
    yield "place", card.note, card.heading
    yield "block", card.block_id
    yield "text", read(card.text).text
    yield from {*question.topic, *answer.topic}


class _Run:
    """The cards of one run by their words, so that few of them are read to count those that say the same.

    For a `few` questions the texts are searched; for many all words are put in order first.
    """

    def __init__(self, cards: Sequence[Sight], *, few: bool) -> None:
        self._cards = cards
        self._texts = [folded(f"{card.question}\n{card.answer}") for card in cards] if few else None
        self._with: defaultdict[str, list[Sight]] = defaultdict(list)
        for card in () if few else cards:
            for word in _vocabulary(card):
                self._with[word].append(card)
        self.cards_with = cache(self._cards_with)
        self.answering = cache(self._answering)

    def _cards_with(self, word: str) -> int:
        """How many cards have the word."""
        return sum(word in _vocabulary(card) for card in self._holding([word]))

    def asking(self, card: Sight) -> int:
        """How many cards ask in the same words."""
        tokens = read(card.question).tokens
        alike = (it for it in self._holding(tokens) if it.is_cloze == card.is_cloze)
        return sum(read(it.question).tokens == tokens for it in alike)

    def _answering(self, answer: Reading) -> int:
        """How many cards answer in the same words."""
        return sum(read(it.answer).tokens == answer.tokens for it in self._holding(answer.tokens))

    def _holding(self, words: Sequence[str]) -> Sequence[Sight]:
        """All cards that have the words, and maybe others."""
        if self._texts is None:
            return min((self._with.get(word, ()) for word in words), key=len, default=self._cards)
        parts = sorted(map(folded, words), key=len, reverse=True)
        texts = zip(self._cards, self._texts, strict=True)
        return [card for card, text in texts if all(part in text for part in parts)]


class _Judge:
    """Says how far a new card may pass for an old one, knowing all the cards of both runs."""

    def __init__(
        self, old: Sequence[Sight], new: Sequence[Sight], old_of: Mapping[int, int], own_words: OwnWords
    ) -> None:
        self._own_words = own_words
        few = len(new) - len(old_of) <= _FEW
        self._runs = _Run([card for card in old if not card.retired], few=few), _Run(new, few=few)
        notes = {card.note for card in new}
        self._kin = {(old[o].note, new[n].note) for n, o in old_of.items() if old[o].note not in notes}

    def judge(self, old: Sight, new: Sight) -> _Verdict | None:
        """Whether a person would call them one card, or at least might; what is asked for was found by simulation
        (benchmarks/identity.py), so that no history goes to a wrong card."""
        same_id = old.block_id is not None and old.block_id == new.block_id
        near = old.note == new.note or (old.note, new.note) in self._kin
        if not same_id and not self._may_be_one(old, new, near):
            return None
        ways = [(read(old.question), read(new.question))]
        if old.is_cloze:
            ways.append((read(old.text), read(new.text)))
        if not same_id and not any(is_worth_a_look(*readings) for readings in ways):
            return None
        question = min((self._edit(*readings) for readings in ways), key=lambda edit: (edit.kind, edit.old, edit.new))
        answer = self._edit(read(old.answer), read(new.answer))
        if same_id:
            same = max(question.share, answer.share) >= 0.6
        elif question.kind <= Difference.SLIP:
            topic = len(question.new.topic) - (question.kind == Difference.SLIP)
            is_told = topic >= (1 if near else 3) and self._asks_for_one(old, new)
            is_there = near and old.heading == new.heading and not old.retired
            same = answer.is_alike or answer.says_more or is_told or (is_there and self._is_answer_reworded(answer))
        else:
            same = not old.retired and self._is_reworded(question, answer, near)
        # Where words were exchanged, letters in common say nothing about which card is nearer.
        nearness = question.share if question.kind <= Difference.SLIP else 1 - 0.1 * question.kind
        place = 0.6 * near + 0.4 * (old.heading == new.heading)
        if same:
            return _Verdict(0.55 * nearness + 0.35 * answer.share + 0.1 * place, True)
        if question.kind <= Difference.LETTER and answer.is_alike and not old.retired:
            return _Verdict(0.55 * nearness + 0.35 + 0.1, False)
        return None

    def _may_be_one(self, old: Sight, new: Sight, near: bool) -> bool:
        """Quick, and true for all that `_is_reworded`: where the question is another, only an answer that stays, and
        that no other card has, makes them one card."""
        are_exchanged = self._own_words.are_exchanged
        if not are_exchanged(old.question, new.question) or (old.is_cloze and not are_exchanged(old.text, new.text)):
            return True
        return (
            near
            and not are_exchanged(old.answer, new.answer)
            and self._is_only_answer(read(old.answer), read(new.answer))
        )

    def _edit(self, old: Reading, new: Reading) -> _Edit:
        return _Edit(old, new, difference(old, new, self._cards_with), similarity(old, new))

    def _is_reworded(self, question: _Edit, answer: _Edit, near: bool) -> bool:
        """Whether the card is the same, though it asks in other words."""
        unchanged = answer.kind <= Difference.SLIP
        if asks_for_another(question.old, question.new) and not (
            unchanged and (question.kind == Difference.WORDING or self._is_distinctive(answer))
        ):
            return False
        match question.kind:
            case Difference.WORDING:
                is_extended = answer.kind == Difference.MORE and self._is_distinctive(answer)
                return unchanged or (near and answer.is_alike) or (is_extended and bool(question.new.topic))
            case Difference.LETTER:
                return unchanged or (near and answer.goes_on)
            case Difference.MORE:
                before, after = topics(question.old, question.new, self._cards_with)
                kept = len(before & after) / len(before | after) if before | after else 1
                is_only = self._only_these(question) or (unchanged and self._is_distinctive(answer))
                return near and answer.is_alike and kept >= (0.5 if is_only else 0.6 if unchanged else 0.75)
            case Difference.OTHER:
                return near and unchanged and self._is_distinctive(answer) and question.share >= 0.5
            case Difference.FAMILY:
                before, after = topics(question.old, question.new, self._cards_with)
                is_only = self._only_these(question) and self._of_others(before - after)
                return (
                    near and (unchanged or answer.goes_on) and is_only and self._is_only_answer(answer.old, answer.new)
                )
        return False

    def _is_answer_reworded(self, answer: _Edit) -> bool:
        """Whether the answer says in several other words what no other card says."""
        before, after = (frozenset(filter(_is_plain, said.topic)) for said in (answer.old, answer.new))
        is_anew = min(len(before - after), len(after - before), len(before & after)) >= 2
        return is_anew and self._only_these(answer) and self._of_others(before - after)

    def _asks_for_one(self, old: Sight, new: Sight) -> bool:
        """Whether the question tells the card, whatever the answer: no other asks so, and of several deletions one
        at least is still there."""
        if old.retired or any(run.asking(card) > 1 for run, card in zip(self._runs, (old, new), strict=True)):
            return False
        before, after = old.answer.split(DELETION), new.answer.split(DELETION)
        return len(before) == len(after) == 1 or not set(before).isdisjoint(after)

    def _cards_with(self, word: str) -> int:
        return max(run.cards_with(word) for run in self._runs)

    def _only_these(self, edit: _Edit) -> bool:
        """Whether then and now share a word that no other card has."""
        return any(self._cards_with(word) == 1 for word in edit.both)

    def _of_others(self, words: frozenset[str]) -> bool:
        """Whether other cards have each of these."""
        return all(self._cards_with(word) > 1 for word in words)

    def _is_only_answer(self, before: Reading, after: Reading) -> bool:
        """Whether no other card has this answer."""
        return all(run.answering(it) == 1 for run, it in zip(self._runs, (before, after), strict=True))

    def _is_distinctive(self, edit: _Edit) -> bool:
        """Whether no other card has this answer, and it is more than a word or a number."""
        says = sum(map(_is_plain, edit.new.topic))
        return says >= 4 and self._is_only_answer(edit.old, edit.new)


def _is_plain(word: str) -> bool:
    return len(word) > 2 and word.isalpha()


def _vocabulary(card: Sight) -> set[str]:
    return {*read(card.question).tokens, *read(card.answer).tokens}

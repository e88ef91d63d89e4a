"""Whether a changed card is still the same card, in the eyes of someone who knows all the others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from cards.likeness import (
    DELETION,
    Difference,
    Sight,
    asks_for_another,
    difference,
    is_worth_a_look,
    says_all,
    similarity,
    topics,
)
from cards.ordinals import frame
from cards.own_words import OwnWords
from cards.run_words import RunWords
from cards.wording import Reading, read


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a new card may be to an old one."""

    score: float
    """From 0 to 1."""
    same: bool
    """Whether a person would call them one card; if not, the pair only puts others in doubt."""
    at_most: float
    """The most that could be said for it."""


@dataclass(frozen=True, slots=True)
class _Edit:
    """A question or an answer then and now."""

    old: Reading
    new: Reading
    kind: Difference

    @property
    def share(self) -> float:
        """How much of it is the same, from 0 to 1."""
        return similarity(self.old, self.new)

    @property
    def both(self) -> frozenset[str]:
        """What both are about."""
        return self.old.about & self.new.about

    @property
    def goes_on(self) -> bool:
        """Whether only one has more words, and both are about two things at least."""
        return self.kind == Difference.MORE and len(self.both) >= 2

    @property
    def says_more(self) -> bool:
        """Whether one says all that the other says."""
        return says_all(self.old, self.new) or says_all(self.new, self.old)

    @property
    def is_alike(self) -> bool:
        return self.kind <= Difference.MORE or (self.kind == Difference.NUMBER and self.share >= 0.7)


class Judge:
    """Says how far a new card may pass for an old one, knowing all the cards of both runs."""

    def __init__(
        self, old: Sequence[Sight], new: Sequence[Sight], old_of: Mapping[int, int], own_words: OwnWords
    ) -> None:
        self._own_words = own_words
        self._runs = RunWords([card for card in old if not card.retired]), RunWords(new)
        notes = {card.note for card in new}
        self._edit = lru_cache(maxsize=1 << 12)(self._edited)
        self._taken_over = lru_cache(maxsize=1 << 12)(self._passed_on)
        self._cards_with = cache(lambda word: max(run.cards_with(word) for run in self._runs))
        self._kin = {(old[o].note, new[n].note) for n, o in old_of.items() if old[o].note not in notes}

    def judge(self, old: Sight, new: Sight) -> Verdict | None:
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
        if question.kind == Difference.TELLING and answer.kind > Difference.NONE and not same_id:
            return None
        if same_id:
            same = max(question.share, answer.share) >= 0.6
        elif question.kind > Difference.NONE and self._is_split(question, answer):
            return None
        elif question.kind <= Difference.SLIP:
            topic = len(question.new.topic) - (question.kind == Difference.SLIP)
            is_told = topic >= (1 if near else 3) and self._asks_for_one(old, new)
            is_there = near and old.heading == new.heading and not old.retired
            same = is_told or self._is_answer_kept(question, answer) or (is_there and self._is_answer_reworded(answer))
        else:
            same = not old.retired and self._is_reworded(question, answer, near)
        # Where words were exchanged, letters in common say nothing about which card is nearer.
        nearness = question.share if question.kind <= Difference.SLIP else 1 - 0.1 * question.kind
        place = 0.6 * near + 0.4 * (old.heading == new.heading)
        score = 0.55 * nearness + 0.35 * answer.share + 0.1 * place
        if self._may_be_renamed(old, new, question, answer):
            return Verdict(score, same, 0.55 + 0.35 * answer.share + 0.1 * place)
        if same:
            return Verdict(score, True, score)
        if question.kind <= Difference.LETTER and answer.is_alike and not old.retired:
            return Verdict(score, False, 0.55 * nearness + 0.35 + 0.1)
        return None

    def _may_be_one(self, old: Sight, new: Sight, near: bool) -> bool:
        """Quick, and true for all that `_is_reworded` or `_may_be_renamed`: where the question is another, only an
        answer that stays, and that hardly another card has, makes them one card."""
        are_exchanged = self._own_words.are_exchanged
        if not are_exchanged(old.question, new.question) or (old.is_cloze and not are_exchanged(old.text, new.text)):
            return True
        return (
            near
            and not are_exchanged(old.answer, new.answer)
            and self._is_rare_answer(read(old.answer), read(new.answer))
        )

    def _edited(self, old: Reading, new: Reading) -> _Edit:
        return _Edit(old, new, difference(old, new, self._cards_with))

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
            case Difference.NUMBER:
                return near and unchanged and self._is_distinctive(answer) and not self._is_of_family(question)
            case Difference.FAMILY:
                before, after = topics(question.old, question.new, self._cards_with)
                is_only = self._only_these(question) and self._of_others(before - after)
                return (
                    near and (unchanged or answer.goes_on) and is_only and self._is_only_answer(answer.old, answer.new)
                )
        return False

    def _may_be_renamed(self, old: Sight, new: Sight, question: _Edit, answer: _Edit) -> bool:
        """Whether the answer may have been taken along to another question; not where it was copied."""
        before, after = self._runs
        if answer.kind != Difference.NONE or after.answering(answer.new) > before.answering(answer.old):
            return False
        is_born = frame(question.old.tokens) == frame(question.new.tokens) and not before.asking(new)
        return is_born or not after.asking(old)

    def _is_answer_kept(self, question: _Edit, answer: _Edit) -> bool:
        """Whether the answer is still there, and be it as a part, where the question alone does not tell the card."""
        if answer.kind <= Difference.SLIP:
            return True
        if answer.kind == Difference.NUMBER and not question.new.topic:
            return False
        is_more_than_a_part = answer.share >= 0.5 or self._is_own(answer.old.plain & answer.new.plain)
        return (answer.is_alike or answer.says_more) and is_more_than_a_part

    def _is_split(self, question: _Edit, answer: _Edit) -> bool:
        """Whether the answer is a part of what it was, and another card has the rest."""
        is_shorter = len(answer.new.tokens) < len(answer.old.tokens)
        if not is_shorter or not says_all(answer.old, answer.new):
            return False
        return any(it not in answer.new.bag and it not in question.new.bag for it in self._taken_over(answer.old))

    def _passed_on(self, answer: Reading) -> tuple[str, ...]:
        """What the card alone was about, and now another or it is."""
        before, after = self._runs
        return tuple(word for word in answer.about if before.cards_with(word) == 1 and after.cards_with(word))

    def _is_answer_reworded(self, answer: _Edit) -> bool:
        """Whether the answer says in several other words what no other card says."""
        before, after = answer.old.plain, answer.new.plain
        kept = len(before & after)
        is_anew = min(len(before) - kept, len(after) - kept, kept) >= 2
        return is_anew and self._only_these(answer) and self._of_others(before - after)

    def _asks_for_one(self, old: Sight, new: Sight) -> bool:
        """Whether the question tells the card, whatever the answer: no other asks so, and of several deletions one
        at least is still there."""
        if old.retired or any(run.asking(card) > 1 for run, card in zip(self._runs, (old, new), strict=True)):
            return False
        before, after = old.answer.split(DELETION), new.answer.split(DELETION)
        return len(before) == len(after) == 1 or not set(before).isdisjoint(after)

    def _only_these(self, edit: _Edit) -> bool:
        """Whether then and now share a word that no other card has."""
        return self._is_own(edit.both)

    def _is_own(self, words: Iterable[str]) -> bool:
        """Whether no other card has one of these."""
        return any(self._cards_with(word) == 1 for word in words)

    def _is_of_family(self, question: _Edit) -> bool:
        """Whether another card asks the same about another number."""
        asked = frame(question.old.tokens), frame(question.new.tokens)
        return any(run.framing(it) > 1 for run, it in zip(self._runs, asked, strict=True))

    def _of_others(self, words: frozenset[str]) -> bool:
        """Whether other cards have each of these."""
        return all(self._cards_with(word) > 1 for word in words)

    def _is_rare_answer(self, before: Reading, after: Reading) -> bool:
        """Whether no other card has this answer, or one, such as the twin in the other language."""
        return all(run.answering(it) <= 2 for run, it in zip(self._runs, (before, after), strict=True))

    def _is_only_answer(self, before: Reading, after: Reading) -> bool:
        """Whether no other card has this answer."""
        return all(run.answering(it) == 1 for run, it in zip(self._runs, (before, after), strict=True))

    def _is_distinctive(self, edit: _Edit) -> bool:
        """Whether no other card has this answer, and it is more than a word or a number."""
        return edit.new.says >= 4 and self._is_only_answer(edit.old, edit.new)

"""Which changed card is which: by question, answer and place, and only where no other card is nearly as near."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from cards.likeness import Difference, Reading, Sight, difference, read, similarity

_MARGIN = 0.04
_CROWD = 40
"""A word that more of the cards left over have does not lead to candidates."""


def pair_alike(
    old: Sequence[Sight], new: Sequence[Sight], old_of: Mapping[int, int], *, retired: bool
) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Pair the cards that `old_of` leaves over: the pairs, and for each new card too close to call its old rivals."""
    used = set(old_of.values())
    left_old = [at for at in range(len(old)) if at not in used and old[at].retired == retired]
    left_new = [at for at in range(len(new)) if at not in old_of]
    if not left_old or not left_new:
        return {}, {}
    judge = _Judge(old, new, old_of)
    scores = {}
    for old_at, new_at in _candidates(old, left_old, new, left_new):
        score = judge.score(old[old_at], new[new_at])
        if score is not None:
            scores[old_at, new_at] = score
    return _settle(scores)


def _settle(scores: Mapping[tuple[int, int], float]) -> tuple[dict[int, int], dict[int, tuple[int, ...]]]:
    """Best pairs first; a pair with a rival within the margin is left apart, together with its rivals."""
    by_old: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    by_new: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for pair in scores:
        by_old[pair[0]].append(pair)
        by_new[pair[1]].append(pair)
    found: dict[int, int] = {}
    unsure: dict[int, tuple[int, ...]] = {}
    gone_old: set[int] = set()
    gone_new: set[int] = set()
    for pair in sorted(scores, key=lambda pair: (-scores[pair], pair)):
        old_at, new_at = pair
        if old_at in gone_old or new_at in gone_new:
            continue
        close = [
            rival
            for rival in by_old[old_at] + by_new[new_at]
            if rival != pair
            and rival[0] not in gone_old
            and rival[1] not in gone_new
            and scores[rival] > scores[pair] - _MARGIN
        ]
        if close:
            for at in {new_at} | {rival[1] for rival in close}:
                unsure[at] = tuple(sorted({o for o, n in [pair, *close] if n == at}))
        else:
            found[new_at] = old_at
        for o, n in [pair, *close]:
            gone_old.add(o)
            gone_new.add(n)
    return found, unsure


def _candidates(
    old: Sequence[Sight], left_old: Sequence[int], new: Sequence[Sight], left_new: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """The pairs worth a look: those that share a question, an answer or a word that few of the cards have."""
    where: defaultdict[object, list[int]] = defaultdict(list)
    for at in left_old:
        for mark in _marks(old[at]):
            where[mark].append(at)
    for new_at in left_new:
        near = {at for mark in _marks(new[new_at]) if len(where[mark]) <= _CROWD for at in where[mark]}
        yield from ((at, new_at) for at in sorted(near) if old[at].is_cloze == new[new_at].is_cloze)


def _marks(card: Sight) -> Iterable[object]:
    question, answer = read(card.question), read(card.answer)
    yield "question", question.text, card.note
    yield "answer", answer.text, card.note
    yield "place", card.note, card.heading
    yield from {*question.words, *answer.words}


class _Judge:
    """Says how far a new card may pass for an old one, knowing all the cards of both runs."""

    def __init__(self, old: Sequence[Sight], new: Sequence[Sight], old_of: Mapping[int, int]) -> None:
        self._read = cache(read)
        living = [card for card in old if not card.retired]
        self._old_words = self._count_words(living)
        self._new_words = self._count_words(new)
        self._old_answers = Counter(self._read(card.answer).text for card in living)
        self._new_answers = Counter(self._read(card.answer).text for card in new)
        notes = {card.note for card in new}
        self._kin = {
            (old[o].note, new[n].note) for n, o in old_of.items() if old[o].note not in notes and not old[o].retired
        }

    def score(self, old: Sight, new: Sight) -> float | None:
        """From 0 to 1, or nothing if a person would not call them one card."""
        old_question, new_question = self._read(old.question), self._read(new.question)
        old_answer, new_answer = self._read(old.answer), self._read(new.answer)
        question = difference(old_question, new_question, self._is_known)
        answer = difference(old_answer, new_answer, self._is_known)
        question_share = similarity(old_question, new_question)
        answer_share = similarity(old_answer, new_answer)
        near = old.note == new.note or (old.note, new.note) in self._kin
        if old.block_id is not None and old.block_id == new.block_id:
            same = max(question_share, answer_share) >= 0.6
        elif question <= Difference.SLIP:
            same = answer_share >= 0.5 or (not old.retired and len(new_question.words) >= (1 if near else 4))
        elif old.retired:
            same = False
        elif answer <= Difference.SLIP and self._is_distinctive(old_answer, new_answer):
            if question < Difference.TELLING:
                same = question_share >= (0.4 if near else 0.6)
            else:
                same = near and question_share >= 0.85 and len(new_answer.words) >= 5
        else:
            same = near and question == answer == Difference.MORE and min(question_share, answer_share) >= 0.7
        if not same:
            return None
        place = 0.6 * near + 0.4 * (old.heading == new.heading)
        return 0.55 * question_share + 0.35 * answer_share + 0.1 * place

    def _is_known(self, word: str) -> bool:
        return self._old_words[word] > 1 or self._new_words[word] > 1

    def _is_distinctive(self, old: Reading, new: Reading) -> bool:
        return len(new.words) >= 3 and self._old_answers[old.text] == 1 and self._new_answers[new.text] == 1

    def _count_words(self, cards: Iterable[Sight]) -> Counter[str]:
        return Counter(
            word for card in cards for word in {*self._read(card.question).words, *self._read(card.answer).words}
        )

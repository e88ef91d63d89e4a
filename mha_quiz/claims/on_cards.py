"""Which cards show a claim that fails."""

from collections.abc import Iterable

from cards import formulas
from cards.flashcards import plain_text
from cards.model import Card
from mha_quiz.claims.model import Claim, Verdict


def failing_in(card: Card, claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The failing claims of the card's note whose text the card shows, whatever blanks and fonts it is written with.

    A derived card that shows one is to be left out, a marked one to be told of.
    """
    shown = formulas.normalised(plain_text(card.content))
    return tuple(
        claim
        for claim in claims
        if claim.verdict is Verdict.FAILS
        and claim.place.path == card.place.path
        and any(formulas.normalised(part) in shown for part in claim.text.split(" … "))
    )

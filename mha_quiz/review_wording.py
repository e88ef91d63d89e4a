"""What the review says around the cards, in both languages."""

from collections.abc import Mapping, Sequence

from mha_quiz.question import Text
from mha_quiz.schedule import Rating

NOTHING = Text("Nothing is due today.", "Aaj kuch due nahi hai.")
CRAM = Text("cram: nothing is scheduled", "cram: schedule nahi badlega")
NEW = Text("new", "naya")
FRONT_KEYS = Text(
    "space answer · t type · l language · s skip · u undo · e edit · ? help · q quit",
    "space jawab · t likho · l bhasha · s chhodo · u undo · e edit · ? madad · q bas",
)
TYPE_FIRST = Text("type the answer · enter alone: the keys", "jawab likho · sirf enter: keys")
NUMBER_KEYS = Text(
    "type the answer · show solution · s skip · u undo · ? help · q quit",
    "jawab likho · show hal · s chhodo · u undo · ? madad · q bas",
)
NEXT = Text("any key: on · q quit", "koi bhi key: aage · q bas")
NUMBER_HELP = (
    Text("s: skip, it stays due", "s: chhodo, due rahega"),
    Text("u: take the last answer back", "u: pichla jawab waapas lo"),
)
HELP = (
    Text("space, enter: see the answer", "space, enter: jawab dekho"),
    Text("1 again, 2 hard, 3 good, 4 easy: how it went", "1 phir se, 2 mushkil, 3 theek, 4 aasan: kaisa gaya"),
    Text("t: type the answer; it is compared", "t: jawab likho; milaya jaayega"),
    Text("l: the card in the other language", "l: doosri bhasha mein card"),
    *NUMBER_HELP,
    Text("e: open the note in $EDITOR", "e: note ko $EDITOR mein kholo"),
    Text("q: stop; all answers are saved already", "q: ruko; saare jawab save ho chuke hain"),
)
TYPE = Text("answer> ", "jawab> ")
SAME = Text("That is it.", "Bilkul sahi.")
NOT_TYPED = Text("This answer is too long to be typed.", "Yeh jawab likhne ke liye zyada lamba hai.")
NO_TWIN = Text("There is no twin in the other language.", "Doosri bhasha mein iska twin nahi hai.")
NO_UNDO = Text("There is nothing to undo.", "Undo karne ko kuch nahi hai.")
UNDONE = Text("Taken back.", "Waapas liya.")
SKIPPED = Text("Skipped; it stays due.", "Chhoda; due rahega.")
REREAD = Text("The note was read again.", "Note phir se padha gaya.")
REWRITTEN = Text("This is a new card now.", "Yeh ab naya card hai.")
GONE = Text("The card is gone from the note.", "Card ab note mein nahi hai.")
UNKNOWN_KEY = Text("That key means nothing here; ? shows all.", "Is key ka yahan koi matlab nahi; ? se sab dikhenge.")
LEFT_OPEN = Text("What was open does not count.", "Jo khula tha, uski ginti nahi.")
AGAIN_LATER = Text("asked again, for practice", "phir se, practice ke liye")
_RATINGS = {
    Rating.AGAIN: Text("again", "phir se"),
    Rating.HARD: Text("hard", "mushkil"),
    Rating.GOOD: Text("good", "theek"),
    Rating.EASY: Text("easy", "aasan"),
}


def rating_keys(days: Mapping[Rating, int]) -> Text:
    """`1 again 1 d · 2 hard 3 d · …`; without days where nothing is scheduled."""
    en, hinglish = (
        " · ".join(
            f"{rating.value} {name}" + (f" {days[rating]} d" if rating in days else "")
            for rating, name in names.items()
        )
        for names in (
            {rating: name.en for rating, name in _RATINGS.items()},
            {rating: name.hinglish for rating, name in _RATINGS.items()},
        )
    )
    return Text(en, hinglish)


def typed(text: str) -> Text:
    return Text(f"You typed: {text}", f"Tumne likha: {text}")


def leech(place: str, lapses: int) -> Text:
    return Text(
        f"Forgotten {lapses} times: better rewrite it (e), {place}",
        f"{lapses} baar bhoole: ise phir se likhna behtar hai (e), {place}",
    )


def problems(count: int) -> Text:
    return Text(
        f"The notes have {count} problem{'' if count == 1 else 's'}; `mha-quiz check` of the same notes tells them.",
        f"Notes mein {count} problem hain; inhi notes par `mha-quiz check` chalao.",
    )


def summary(cards: int, numbers: int, seconds: int, tomorrow: int) -> tuple[Text, ...]:
    minutes, rest = divmod(seconds, 60)
    took = f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return (
        Text(
            f"{cards} card{'' if cards == 1 else 's'} and {numbers} question{'' if numbers == 1 else 's'} in {took}.",
            f"{took} mein {cards} card aur {numbers} sawaal.",
        ),
        Text(f"Due tomorrow: {tomorrow}.", f"Kal due: {tomorrow}."),
    )


def ratings(counts: Mapping[Rating, int]) -> Text:
    names = [(counts.get(rating, 0), name) for rating, name in _RATINGS.items()]
    return Text(
        ", ".join(f"{count} {name.en}" for count, name in names),
        ", ".join(f"{count} {name.hinglish}" for count, name in names),
    )


def retention(right: int, asked: int) -> Text:
    share = round(100 * right / asked)
    return Text(f"Remembered: {right} of {asked} ({share} %).", f"Yaad raha: {asked} mein se {right} ({share} %).")


def leeches(places: Sequence[str]) -> Text:
    return Text("Rewrite these, they do not stick: " + ", ".join(places), "Inhe phir se likho: " + ", ".join(places))

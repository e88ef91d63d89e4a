"""What the quiz says around its questions, in both languages."""

from collections.abc import Iterable, Mapping

from mha_quiz.question import AnswerKind, Question, Slip, Text

NO_ANSWER = Text(
    "No answer yet. Type one, or ? for help.", "Abhi koi jawab nahi. Jawab likho, ya madad ke liye ? likho."
)
LEFT_OPEN = Text(
    "The last question was left open and does not count.", "Aakhri sawaal khula reh gaya, uski ginti nahi."
)
SLIPS_MET = Text("Slips met:", "Yeh galtiyan mili:")


def start(seed: int) -> Text:
    return Text(
        f"Type ? for help, quit to stop. --seed {seed} asks the same questions again.",
        f"Madad ke liye ? likho, rukne ke liye bas. --seed {seed} se yahi sawaal phir aayenge.",
    )


def heading(number: int, count: int, question: Question) -> Text:
    """`1/10 · B1 all weights, no bias`."""
    return Text(
        *(f"{number}/{count} · {question.family} {title}" for title in (question.title.en, question.title.hinglish))
    )


def unreadable(reason: Text) -> Text:
    return Text(
        f"Not understood: {reason.en}. Nothing is counted, try again.",
        f"Yeh samajh nahi aaya: {reason.hinglish}. Ginti nahi hui, phir se likho.",
    )


def help_lines(names: Iterable[str], kind: AnswerKind) -> tuple[Text, ...]:
    letters = ", ".join(names)
    if kind is AnswerKind.SHAPE:
        forms = Text(
            "Type a shape: (2, 8, 10, 64), 2x8x10x64 or 2 8 10 64.",
            "Shape likho: (2, 8, 10, 64), 2x8x10x64 ya 2 8 10 64.",
        )
    else:
        forms = Text(
            "Type a number: 1048576, 1,048,576, 2^20, 4*512^2, 1/3, 12.5%, 1.5M or, for bytes, 64 MiB.",
            "Number likho: 1048576, 10,48,576, 2^20, 4*512^2, 1/3, 12.5%, 1.5M ya, bytes ke liye, 64 MiB.",
        )
    return (
        forms,
        Text(f"You may use the question's own names: {letters}.", f"Sawaal ke naam bhi chalte hain: {letters}."),
        Text(
            "show: see the solution and go on. quit: stop and see the tally.",
            "dikhao: solution dekho aur aage badho. bas: ruko aur nateeja dekho.",
        ),
    )


def tally(outcomes: Mapping[str, int]) -> Text:
    """`10 questions: 7 right at once, …`; what did not happen is left out, but for right and wrong."""
    total = sum(outcomes.values())
    parts = (
        ("right", "right at once", "pehli baar mein sahi", True),
        ("right after retry", "right on the second try", "doosri baar mein sahi", False),
        ("too coarse", "only rounded", "sirf round kiye hue", False),
        ("wrong", "wrong", "galat", True),
        ("skipped", "skipped", "chhode hue", False),
    )
    told = [
        (outcomes.get(name, 0), en, hinglish) for name, en, hinglish, always in parts if always or outcomes.get(name)
    ]
    return Text(
        f"{total} question{'' if total == 1 else 's'}: {', '.join(f'{n} {en}' for n, en, _ in told)}.",
        f"{total} sawaal: {', '.join(f'{n} {hinglish}' for n, _, hinglish in told)}.",
    )


def slip_met(name: str, times: int, slip: Slip) -> Text:
    """`B1/no-out, 2 times: W_O was left out`; the reason has the numbers of the last one."""
    often = "" if times == 1 else f", {times}×"
    return Text(f"{name}{often}: {slip.en}", f"{name}{often}: {slip.hinglish}")

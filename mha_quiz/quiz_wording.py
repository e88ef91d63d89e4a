"""What the quiz says around its questions, in both languages."""

from collections.abc import Iterable, Mapping

from mha_quiz.question import AnswerKind, Question, Slip, Text, Theme
from mha_quiz.question_text import value_text

NO_ANSWER = Text(
    "No answer yet. Type one, or ? for help.", "Abhi koi jawab nahi. Jawab likho, ya madad ke liye ? likho."
)
LEFT_OPEN = Text(
    "The last question was left open and does not count.", "Aakhri sawaal khula reh gaya, uski ginti nahi."
)
SLIPS_MET = Text("Slips met:", "Yeh galtiyan hui:")


def start(seed: int) -> Text:
    return Text(
        f"Type ? for help, quit to stop. --seed {seed} asks the same questions again.",
        f"Madad ke liye ? likho, rukne ke liye bas. --seed {seed} se yahi sawaal phir aayenge.",
    )


NO_NUMBERS = Text(
    "Your notes give no layer to take numbers from (d_model and the number of heads); here are the usual questions.",
    "Aapke notes mein aisi koi layer nahi hai jiske numbers le saken (d_model aur heads ki ginti); yeh rahe aam sawaal.",
)
EXAM = Text("Exam: no verdicts before the end.", "Exam: sahi-galat aakhir mein pata chalega.")
WEAKEST = Text(
    "Type ? for help, quit to stop. What your history shows as weakest comes first.",
    "Madad ke liye ? likho, rukne ke liye bas. Aapki history mein jo sabse kamzor hai, woh pehle aayega.",
)


def not_recorded(reason: str) -> Text:
    return Text(f"Answers are not recorded: {reason}", f"Jawab record nahi ho rahe: {reason}")


def heading(number: int, count: int, question: Question, remark: Text | None = None) -> Text:
    """`1/10 · B1 all weights, no bias`, and what is remarked."""
    at = f"{number}/{count} ·"
    whole = Text(at, at) + title(question)
    return whole if remark is None else whole + Text(f"· {remark.en}", f"· {remark.hinglish}")


def title(question: Question) -> Text:
    """`B1 all weights, no bias`."""
    return Text(question.family, question.family) + question.title


def unreadable(reason: Text) -> Text:
    return Text(
        f"Not understood: {reason.en}. Nothing is counted, try again.",
        f"Yeh samajh nahi aaya: {reason.hinglish}. Ginti nahi hui, phir se likho.",
    )


def help_lines(names: Iterable[str], kind: AnswerKind, *, exam: bool = False) -> tuple[Text, ...]:
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
            "skip: go on without an answer. quit: stop and see the report.",
            "chhodo: bina jawab aage badho. bas: ruko aur report dekho.",
        )
        if exam
        else Text(
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


def slip_met(name: str, times: int, slip: Slip, in_all: int = 0) -> Text:
    """`B1/no-out, 2×, 5× in all: W_O was left out`; the reason has the numbers of the last one."""
    often = "" if times == 1 else f", {times}×"
    ever = Text(f", {in_all}× in all", f", ab tak {in_all}×") if in_all > times else Text("", "")
    return Text(f"{name}{often}{ever.en}: {slip.en}", f"{name}{often}{ever.hinglish}: {slip.hinglish}")


def score(right: int, answered: int) -> Text:
    """`Exam: 7 of 10 right (70 %).`"""
    if not answered:
        return Text("Exam: nothing was answered.", "Exam: kisi sawaal ka jawab nahi diya.")
    share = f"{100 * right / answered:.0f} %"
    return Text(f"Exam: {right} of {answered} right ({share}).", f"Exam: {answered} mein se {right} sahi ({share}).")


def not_reached(number: int) -> Text:
    if number == 1:
        return Text(
            "1 question was left without an answer and does not count.",
            "1 sawaal bina jawab ke reh gaya, uski ginti nahi.",
        )
    return Text(
        f"{number} questions were left without an answer and do not count.",
        f"{number} sawaal bina jawab ke reh gaye, unki ginti nahi.",
    )


def only_rounded(decimals: int | None) -> Text:
    if decimals is None:
        return Text(
            "Only rounded: the exact number was wanted.", "Sirf round kiya hua: poora exact number chahiye tha."
        )
    return Text(
        f"Not exact enough: {decimals} decimals were wanted.", f"Kam exact hai: {decimals} decimals chahiye the."
    )


def theme_score(theme: Theme, right: int, asked: int) -> Text:
    return Text(f"{theme.value:10} {right} of {asked}", f"{theme.value:10} {asked} mein se {right}")


def reported(number: int, question: Question) -> Text:
    """`Question 3 · B1 all weights, no bias`."""
    head = Text(f"Question {number} · {question.family}", f"Sawaal {number} · {question.family}")
    return head + question.title


def right_answer(question: Question, read_as: str | None) -> Text:
    right = value_text(question.answer, question.precision)
    if question.unit:
        right += f" {question.unit}"
    if read_as is None:
        return Text(f"No answer. Right: {right}.", f"Koi jawab nahi. Sahi jawab: {right}.")
    return Text(f"You said {read_as}. Right: {right}.", f"Aapka jawab: {read_as}. Sahi jawab: {right}.")


def read_again(place: str, title: str) -> Text:
    return Text(f"Read again: {place} {title}".rstrip(), f"Phir se padho: {place} {title}".rstrip())

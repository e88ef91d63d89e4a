"""What the quiz says about a typed answer, in both languages."""

from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction

from mha_quiz.question import Text

EMPTY = Text("no answer", "koi jawab nahi")
TOO_LONG = Text("longer than 200 characters", "200 characters se lamba hai")
TOO_MANY = Text("more than 64 numbers and names", "64 se zyada numbers aur names hain")
TOO_DEEP = Text(
    "more than 60 levels of brackets, signs and powers", "brackets, signs aur powers 60 levels se zyada hain"
)
TOO_LARGE = Text("number too large", "number bahut bada hai")
TOO_SMALL = Text("number too close to zero", "number zero ke bahut paas hai")
TWO_POINTS = Text("two decimal points", "do decimal points hain")
DIVISION_BY_ZERO = Text("division by zero", "zero se divide nahi ho sakta")
NOT_REAL = Text("not a real number", "yeh real number nahi hai")
MISSING_BRACKET = Text("missing )", ") nahi mila")
MISSING_SQUARE = Text("missing ]", "] nahi mila")
MISSING_END = Text("something is missing at the end", "aakhir mein kuch chhoot gaya hai")
TWO_ANSWERS = Text("two answers; give one", "do jawab hain; ek hi do")
UNCLEAR_PRODUCT = Text(
    "cannot tell how far the division or the root reaches; write brackets, as in 1/(2*3)",
    "pata nahi division ya root kahan tak hai; brackets lagao, jaise 1/(2*3)",
)
MIXED_UNITS = Text("the units do not fit together", "units aapas mein mel nahi khaate")
NOT_EXACT = Text(
    "not exact because of a root, a power or a function; write the whole number",
    "root, power ya function ki wajah se exact nahi hai; poora number likho",
)
EQUATION = Text("write the answer alone, without =", "sirf jawab likho, = ke bina")
ZERO_FIRST = Text(
    "an axis cannot begin with 0; write 1048, not 1,048", "axis 0 se shuru nahi hota; 1,048 nahi, 1048 likho"
)
BAD_AXIS = Text("each axis is a whole number of at least 1", "har axis 1 ya usse bada poora number hota hai")
NESTED = Text("brackets inside brackets; write (10, 64)", "bracket ke andar bracket hai; (10, 64) likho")
UNCLEAR_AXES = Text(
    "cannot tell the axes apart; write them with commas, as in (10, 64)",
    "axes alag nahi dikh rahe; comma lagao, jaise (10, 64)",
)
TOO_MANY_AXES = Text("more than 8 axes", "8 se zyada axes hain")


def quoted(text: str) -> str:
    """A piece of what was typed; what cannot be shown, or was not even decoded, as its code."""
    return "".join(letter if letter.isprintable() and letter != "\ufffd" else f"U+{ord(letter):04X}" for letter in text)


def not_understood(piece: str) -> Text:
    piece = quoted(piece)
    return Text(f"`{piece}` not understood", f"`{piece}` samajh nahi aaya")


def hexadecimal(piece: str) -> Text:
    return Text(f"`{piece}`: hexadecimal is not accepted", f"`{piece}`: hexadecimal nahi chalta")


def bad_groups(whole: str) -> Text:
    if "," in whole:
        point = whole.rstrip(",").replace(",", ".", 1) if whole.count(",") == 1 and not whole.endswith(",") else "1.23"
        return Text(
            f"cannot tell what the comma means; write {point}",
            f"pata nahi comma ka matlab kya hai; {point} likho",
        )
    return Text(
        "cannot tell how the digits are grouped; write 1048576", "digits ke groups samajh nahi aaye; 1048576 likho"
    )


def point_or_group(typed: str) -> Text:
    """`409.600` where a whole number is asked for."""
    whole, decimal = typed.replace(".", ""), typed.rstrip("0").rstrip(".")
    decimal = f"{typed}0" if decimal == typed else decimal
    return Text(
        f"cannot tell whether the point groups digits or begins decimals; write {whole} or {decimal}",
        f"pata nahi point digits ke group ka hai ya decimal ka; {whole} likho ya {decimal}",
    )


def unknown_name(name: str, known: Iterable[str]) -> Text:
    names = ", ".join(known)
    return Text(
        f"unknown name `{name}`" + (f"; this question knows {names}" if names else ""),
        f"`{name}` naam ka kuch nahi hai" + (f"; is sawaal mein {names} hain" if names else ""),
    )


def name_or_suffix(word: str, meaning: str) -> Text:
    """A letter that is a name of the question and a suffix or unit as well."""
    return Text(
        f"`{word}` may be the question's {word} or {meaning}; write *{word} or the full number",
        f"`{word}` sawaal ka {word} ho sakta hai ya {meaning}; *{word} likho ya poora number",
    )


def bits_or_bytes(word: str) -> Text:
    capital = word[:-1] + "B"
    return Text(f"`{word}`: bits or bytes? write {capital}", f"`{word}`: bits ya bytes? {capital} likho")


def other_unit(asked: str, typed: str) -> Text:
    if not asked:
        return Text(f"the question asks for a bare number, not {typed}", f"sawaal sirf number ka hai, {typed} ka nahi")
    return Text(f"the question asks for {asked}, not {typed}", f"sawaal {asked} ka hai, {typed} ka nahi")


def placed(reason: Text, column: int | None) -> Text:
    """The reason with the place, counted in typed characters."""
    if column is None:
        return reason
    return reason + Text(f"(at character {column})", f"(character {column} par)")


def decimal_text(value: Fraction, places: int) -> str:
    """With grouped digits, rounded half to even: `1,048.50`."""
    sign = "-" if value < 0 else ""
    whole, rest = divmod(abs(round(value * 10**places)), 10**places)
    return f"{sign}{whole:,}" + (f".{rest:0{places}d}" if places else "")


def six_figures(value: Fraction) -> str:
    """Six significant figures: `0.333333`, `1.23457e+70`."""
    with localcontext(prec=6):
        return f"{(Decimal(value.numerator) / Decimal(value.denominator)).normalize():g}"


def read_as(shown: str) -> Text:
    return Text(f"read as {shown}", f"Padha gaya: {shown}")


RIGHT = Text("Right.", "Sahi!")
WRONG = Text("Wrong.", "Galat.")


def too_coarse(decimals: int | None) -> Text:
    if decimals is None:
        return Text(
            "Close, but rounded: give the exact number.",
            "Kareeb hai, par round kiya hua hai: poora exact number do.",
        )
    return Text(
        f"Close, but not exact enough: {decimals} decimals must be right.",
        f"Kareeb hai, par {decimals} decimals sahi hone chahiye.",
    )


def interval(low: str, high: str) -> Text:
    low, high = low.replace("-", "−"), high.replace("-", "−")
    return Text(f"{low} to {high} counts.", f"{low} se {high} tak sahi maana jaata hai.")

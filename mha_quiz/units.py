"""Suffixes, byte units and count words that may follow a typed number."""

SUFFIXES = {
    "k": 10**3,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "B": 10**9,
    "T": 10**12,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
}
NUMBER_WORDS = {
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "hazaar": 10**3,
    "hazar": 10**3,
    "lakh": 10**5,
    "lakhs": 10**5,
    "crore": 10**7,
    "crores": 10**7,
}
BYTE_UNITS = {
    "b": 1,
    "byte": 1,
    "bytes": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
"""By their lower-case names; `B` is a byte only where the question asks for bytes."""

BARE_NUMBER = ""
"""The unit of a question that asks for a number without one."""

_SAME_COUNT = (
    (BARE_NUMBER, "times", "guna", "number", "numbers", "dim", "dims", "dimension", "dimensions"),
    ("param", "params", "parameter", "parameters"),
    ("flop", "flops"),
    ("mac", "macs"),
    ("head", "heads"),
    ("token", "tokens"),
    ("entry", "entries", "element", "elements", "number", "numbers"),
    ("byte", "bytes"),
    ("bit", "bits"),
)
COUNT_WORDS = tuple(word for words in _SAME_COUNT for word in words if word)


def suffix_factor(word: str) -> int | None:
    return SUFFIXES.get(word) or NUMBER_WORDS.get(word.casefold())


def factor_text(factor: int) -> str:
    """`10^6`, `2^20`."""
    decimal = str(factor)
    if decimal.strip("0") == "1":
        return f"10^{len(decimal) - 1}"
    return f"2^{factor.bit_length() - 1}"


def is_byte_unit(unit: str | None) -> bool:
    return unit is not None and unit.casefold() in BYTE_UNITS


def byte_factor(word: str, unit: str | None) -> int | None:
    """Bytes of the unit `word`; a lone `B` is none unless the question's `unit` is one of bytes."""
    if word.casefold() == "b" and not is_byte_unit(unit):
        return None
    return BYTE_UNITS.get(word.casefold())


def could_be_bits(word: str) -> bool:
    """`Kb`, `Gib`: a small b behind a capital."""
    return word.endswith("b") and not word.islower() and word.casefold() in BYTE_UNITS


def counts_same(word: str, unit: str | None) -> bool:
    """Whether a count word fits what the question asks for; None fits all."""
    word = word.casefold()
    if unit is None:
        return word in COUNT_WORDS
    asked = unit.casefold()
    return any(word in words and asked in words for words in _SAME_COUNT) or word in (asked, asked.removesuffix("s"))

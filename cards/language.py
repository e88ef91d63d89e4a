"""English or Hinglish (Hindi in Latin letters): of a note, of a card, and the spellings that mean the same word."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import NamedTuple

from cards.model import Language


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as one text."""
    return frozenset(text.split())


STRONG = word_set(
    """
    aakhir aap aata aate aati abhi accha acha achha agar alag andar apna apne apni aur baad badhao bahar bahut
    bajaye banata banta bante banti beech bhi bina bohot bolo bolte chahiye chahta chahte chalo cheez cheezein
    dekho dena dene deta dete deti dhyan dikhata dikhate dikhati diya diye dono doosra doosre doosri dusra ekdum
    faayda farak fayda galat gaya gaye gayi haan hai hain hamara hamare hamein hisaab hisab hissa hisse hoga
    hogaya hogi hona honge hoon hota hote hoti hua humara hume inhe inka inki iska iske iski isko islie isliye
    isme jaana jaane jaata jaate jaati jaaye jagah jaha jahan jaisa jaise jaisi jata jate jati jawab jaye jise
    jiska jisme jisse jitna jitne jitni kab kaha kahan kaisa kaise kaisi kare karega karegi karein karke karna
    karne karo karta karte karti karwana kaun kaunsa kaunse kaunsi kehta kehte kis kisi kiska kisne kitna kitne
    kitni kiya kiye koi krna krne krta krte krti kuch kya kyon kyonki kyoon kyu kyuki kyun kyunki lagta lagti
    lekin lena lene leta lete leti likho liya liye magar matlab mein milta milte milti mujhe nahi nahin neeche
    nhi niyam padega padta pahle pehle phir phirse raha rahe rahi rakho rakhta rakhte rehta rehte rehti roshni
    saara saare saari saath sahi sakta sakte sakti samajh samajhna samajhne sath sawaal seekh seekhe seekhi
    seekhne seekhta sirf socho tarah tarike teesra tha theek thi thik thoda toh tum tumhara tumhare unhe unhone
    unka unke unki upar uska uske uski voh waapas wala wale wali wapas warna woh yaani ye yeh zaroorat zaroori
    zyaada zyada
    aapka aapke aapki badalta badalte badalti badhna badhne badhta badhte badhti batao bilkul chalta chalte chalti
    chhota chhote chhoti hamesha jaldi kaafi kaam kabhi khatam likhna likhne nikalna nikalta nikalte nikalti paani
    padhna padhne poora poore poori rakhna rakhne rokna rokne rokta rokti sabse samjhao shuru wahan yahan
    """
)
"""Hindi words that are hardly ever a word of another language."""

HINDI_ONLY = word_set(
    """
    ab ek fark hue hui hum hun ka kar ke khud ki ko se wo
    """
)
"""Short Hindi words: a hint, no proof."""

ALSO_ENGLISH = word_set(
    """
    bal banana bas bin din do fir h har hi ho in is jab jo k m main mat me mei na nai ne pe par sab tab tak the
    to un us ya yah
    """
)
"""Hindi words that are English words, names or symbols too."""

_WEAK = HINDI_ONLY | ALSO_ENGLISH

POSTPOSITIONS = word_set(
    """
    ke ki ka ko se ne par hum har ek
    """
)

ENGLISH = word_set(
    """
    the of and is are to in for with that from by on as an a be or can which this each it was were has have not
    """
)
"""Words that an English sentence cannot do without."""

FUNCTION_WORDS = STRONG | HINDI_ONLY | ALSO_ENGLISH | ENGLISH
"""Words of either language that name nothing."""

_NO_WORDS = (
    r"^[ \t>]*(?P<fence>`{3,}+|~{3,}+)[^`\n]*\n(?s:.*?)(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)",
    r"``*[^`\n]*`+",
    r"\$\$[^$]+\$\$",
    r"\$(?!\s)[^$\n]*(?<!\s)\$(?!\d)",
    r"\\\([^\\\n]*(?:\\(?![()])[^\\\n]*)*\\\)",
    r"\\\[[^\\]*(?:\\(?![\[\]])[^\\]*)*\\\]",
    r"\\[A-Za-z]+",
    r"\b(?:https?|ftp|file|obsidian)://\S+",
    r"\]\([^()\n]*\)",
    r"\[\[[^\[\]|\n]*\|",
)
"""Code, mathematics, TeX commands, addresses and link targets; each is linear, also where it never closes."""

_WORD = r"[^\W\d_]+"
_HIDDEN = re.compile("|".join(_NO_WORDS), re.MULTILINE)
_HIDDEN_ELSE = re.compile("|".join(word for word in _NO_WORDS if not word.startswith(("^", r"\b"))))
"""Without the two of them that may begin with any character, which makes the search ten times faster."""
_MAY_HIDE = re.compile(r"[`~$\\:\[\]]")
"""What stands in each text without words."""
_LETTERS = re.compile(_WORD)
_LETTERS_OF_ASCII = re.compile("[A-Za-z]+")
_SMALL_LETTERS = re.compile("[a-z]+")
_TWO_CAPITALS = re.compile("[A-Z]{2}")
"""Where they stand there may be an abbreviation, which is no word."""
_DEVANAGARI = re.compile("[\u0900-\u097f]")
_FOLDABLE = re.compile("|".join((*_NO_WORDS, rf"(?P<word>{_WORD})")), re.MULTILINE)
_HEADING = re.compile(r"\n#{1,6}[ \t]+(.*)")


class _Words(NamedTuple):
    """The words of a text by kind."""

    tokens: Sequence[str]
    strong: int
    devanagari: bool
    """More than 30 % of the letters."""


def of_file(text: str, *, path: str, declared: Language | None, title: str | None) -> Language:
    """The language of a note, of which `text` is all but its front matter, and `declared` what that says.

    Its name, then its title, beat its words.
    """
    if declared is not None:
        return declared
    if (named := _of_name(path)) is not None:
        return named
    bare = _without_hidden(text)
    heading = _HEADING.search("\n" + bare)
    if _says_hinglish(title or "") or (heading and _says_hinglish(heading[1])):
        return Language.HINGLISH
    words = _read(bare)
    if words.devanagari:
        return Language.HINGLISH
    if len(words.tokens) < 40:
        return _of_words(words, Language.EN)
    hindi = words.strong + _count(words.tokens, HINDI_ONLY)  # short questions such as `X ke Y?` have few strong words
    most = words.strong >= 0.03 * len(words.tokens) and hindi >= 0.3 * len(words.tokens)
    return Language.HINGLISH if most or words.strong >= 0.15 * len(words.tokens) else Language.EN


def of_card(text: str, *, file: Language, headings: tuple[str, ...]) -> Language:
    """The language of a card, front and back together, in a note of the language `file`.

    A heading above it that says "Hinglish" counts like a Hinglish note.
    """
    if headings and any(map(_says_hinglish, headings)):
        file = Language.HINGLISH
    return _of_words(_read(_without_hidden(text)), file)


def _of_name(path: str) -> Language | None:
    place = PurePath(path.casefold())
    if "hinglish" in place.name:
        return Language.HINGLISH
    if place.stem.endswith((".en", "-en")):
        return Language.EN
    return Language.HINGLISH if "hinglish" in str(place.parent) else None


@lru_cache(maxsize=64)  # the headings above many cards
def _says_hinglish(text: str) -> bool:
    return "hinglish" in text.casefold()


def _without_hidden(text: str) -> str:
    if not _MAY_HIDE.search(text):
        return text
    anywhere = "```" in text or "~~~" in text or "://" in text
    return (_HIDDEN if anywhere else _HIDDEN_ELSE).sub(" ", text)


def _read(bare: str) -> _Words:
    is_ascii = bare.isascii()
    if is_ascii and not _TWO_CAPITALS.search(bare):
        tokens = _SMALL_LETTERS.findall(bare.lower())
        return _Words(tokens, _count(tokens, STRONG), devanagari=False)
    runs = (_LETTERS_OF_ASCII if is_ascii else _LETTERS).findall(bare)
    tokens = [run.lower() for run in runs if not run.isupper() or len(run) == 1]
    devanagari = not is_ascii and len(_DEVANAGARI.findall(letters := "".join(runs))) > 0.3 * len(letters)
    return _Words(tokens, _count(tokens, STRONG), devanagari)


def _count(tokens: Iterable[str], words: frozenset[str]) -> int:
    return 0 if words.isdisjoint(tokens) else sum(token in words for token in tokens)


def _of_words(words: _Words, file: Language) -> Language:
    tokens, strong, devanagari = words
    if devanagari or strong >= 2:
        return Language.HINGLISH
    hindi = not HINDI_ONLY.isdisjoint(tokens)
    if strong == 1:
        return Language.HINGLISH if hindi or len(tokens) <= 6 else file  # one of six is the last above 15 %
    joined = not POSTPOSITIONS.isdisjoint(tokens) and len(POSTPOSITIONS.intersection(tokens)) >= 2
    if joined and _count(tokens, _WEAK) >= max(3, 0.25 * len(tokens)):
        return Language.HINGLISH
    if not hindi and len(tokens) >= 12 and len(ENGLISH.intersection(tokens)) >= 3:
        return Language.EN  # also in a Hinglish file
    return file


_SPELLINGS = """
kyun: kyu kyon kyoon
kyunki: kyuki kyonki kyunke
nahi: nahin nhi nahee
woh: voh
zyada: zyaada jyada ziyada
bahut: bohot bahot
phir:
jaata: jata
jaati: jati
jaate: jate
karta: krta
karti: krti
karte: krte
karna: krna
karne: krne
doosra: dusra
doosri: dusri
doosre: dusre
saath: sath
pehle: pahle pehele
isliye: islie
jahan: jaha
theek: thik
accha: acha achha
faayda: fayda fayada
fark: farak farq
"""
_HINGLISH_SPELLINGS = """
mein: me mei main
nahi: nai
hai: h he
hain: hn
yeh: ye yah
woh: wo vo
toh: to
phir: fir
liye: lie
kahan: kaha
galat: ghalat
"""
"""Variants that are English words or symbols too."""


def _variants(table: str) -> Iterator[tuple[str, str]]:
    for line in table.strip().split("\n"):
        form, variants = line.split(":")
        yield from ((word, form) for word in (form, *variants.split()))


_FORMS = dict(_variants(_SPELLINGS))
_HINGLISH_FORMS = {**_FORMS, **dict(_variants(_HINGLISH_SPELLINGS))}


def fold(text: str, *, hinglish: bool) -> str:
    """`text` with each Hindi word in one spelling and in lower case, for comparing and never for display.

    `hinglish` says that the text is known to be Hinglish: then variants that are English words too are folded; both
    sides of a comparison must be folded alike. Code, mathematics and all other words stay as they are (NFC).
    """
    forms = _HINGLISH_FORMS if hinglish else _FORMS

    def folded(match: re.Match[str]) -> str:
        return forms.get((match["word"] or "").lower(), match[0])

    return _FOLDABLE.sub(folded, unicodedata.normalize("NFC", text))

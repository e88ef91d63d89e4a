"""English or Hinglish: the rules one by one, sentences people write, and spelling variants."""

import json
import time
from pathlib import Path

import pytest

from cards.flashcards import read_note
from cards.language import ALSO_ENGLISH, ENGLISH, HINDI_ONLY, POSTPOSITIONS, STRONG, fold, of_card, of_file
from cards.model import Language
from cards.settings import Settings

EN, HINGLISH = Language.EN, Language.HINGLISH
SHARED = Path(__file__).parents[2] / "shared"

ENGLISH_TEXT = "The heads of a layer are run side by side, and each of them looks at the whole sequence. " * 4
HINGLISH_TEXT = "Har head apna alag pattern seekhta hai, isliye model ek saath kaafi cheezein dekh sakta hai. " * 4


def file(text: str, path: str = "n.md", declared: Language | None = None, title: str | None = None) -> Language:
    return of_file(text, path=path, declared=declared, title=title)


def card(text: str, file: Language = EN, headings: tuple[str, ...] = ()) -> Language:
    return of_card(text, file=file, headings=headings)


@pytest.mark.parametrize(
    "sentence",
    [
        "Softmax ka sum kitna hota hai? 1",
        "Yeh scale kyun karte hain? Taaki softmax saturate na ho.",
        "Query har key se compare hoti hai",
        "Kya fark padta hai agar h badha dein?",
        "hisaab lagao: 8 heads ke params",
        "har head ke weights ki row ka sum ek",
        "Attention ki cost kis cheez par depend karti hai?",
        "Concatenate kyu?",
        "Q, K aur V",
        "ध्यान क्या है? attention",
    ],
)
def test_hinglish_sentences_in_an_english_note(sentence: str) -> None:
    assert card(sentence) is HINGLISH


@pytest.mark.parametrize(
    "sentence",
    [
        "What does the output projection do? It mixes the heads, so that the model can use all of them at once.",
        "Why is the score divided by the root of the key dimension? To keep the variance of the scores near one.",
        "The Hindi word hai is the verb of this sentence, and it is not the only word that was given to the model.",
    ],
)
def test_english_sentences(sentence: str) -> None:
    assert card(sentence) is EN


@pytest.mark.parametrize(
    "text",
    [
        "What did Ramanujan work on with Hardy? Partitions of numbers and the theory of primes.",
        "What is the capital of Kerala? Thiruvananthapuram",
        "Why is Kohli famous? He scored 50 ODI centuries.",
        "How do you say 'water' in Sanskrit? jal",
        "Photosynthesis",
        "$E = mc^2$? $E$",
        "SYN? ACK",
        "Wo hat er das gesehen? Im Kino, wo sonst.",
        "Wie heißt der Fluss? Er heißt Rhein, ab hier sehr breit.",
        "Le mur du son, qui l'a franchi? un pilote",
        "Di mana kamu tinggal? Saya tinggal di kota besar, tapi mau pindah.",
        "Hun er fra Norge, og hun bor ved se",
    ],
)
def test_names_formulas_and_other_languages_go_with_their_note(text: str) -> None:
    assert card(text) is EN


@pytest.mark.parametrize(
    "text",
    [
        "Dropout ka kaam? overfitting rokna",
        "Learning rate ka role? step size control karna",
        "Overfitting kab? model complex ho aur data kam",
        "Prithvi par sabse bada mahasagar? Pacific",
        "Dil mein kitne chambers? chaar",
        "प्रकाश संश्लेषण? photosynthesis",
    ],
)
def test_short_hinglish_cards_in_an_english_note(text: str) -> None:
    assert card(text) is HINGLISH


def test_an_english_card_of_a_hinglish_note() -> None:
    assert card("Which projection mixes the heads, and how many parameters does it have for a model of 512?") is EN
    english = "The output projection mixes the heads and returns the result to the width of the model."
    assert card(english, HINGLISH) is EN
    assert card(english + " Isliye zaroori hai.", HINGLISH) is HINGLISH
    assert card(english + " Wo sab ka kaam.", HINGLISH) is HINGLISH  # a word that is Hindi only
    assert card("The output projection mixes the heads.", HINGLISH) is HINGLISH  # too short to be sure
    assert card("Output projection, heads mix, model width, softmax, query, key, value", HINGLISH) is HINGLISH


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("agar one two three four five", HINGLISH),  # one strong word of six
        ("agar one two three four five six", EN),  # one of seven is under 15 %
        ("agar one two three four five ka", HINGLISH),
        ("agar one two three four five six seven eight nine kya", HINGLISH),
        ("ke ki one two three four five six seven", EN),  # no strong word, two weak ones
        ("ke ki ab one two three four five six seven eight nine", HINGLISH),  # three of twelve
        ("ke ki ab one two three four five six seven eight nine ten", EN),  # three of thirteen
        ("ke ke ke one two three", EN),  # one postposition only
        ("ke ki one two three four", EN),  # a third, but only two
        ("ke par har one two three", HINGLISH),  # English words count here
        ("agar A B C D E F", EN),  # a single capital is a word
        ("HAI KO SE KYA one two three", EN),  # acronyms
        ("`kya hai kyun` is code", EN),
        ("$kya hai$ and $$kyun hai$$ and \\(kab hai\\) and \\[kya hai\\] and \\hai \\kyun", EN),
        ("https://kya.example/hai/kyun and [x](kya-hai.md) and [[kya hai|x]]", EN),
        ("```\nkya hai kyun\n```", EN),
        ("~~~\nkya hai kyun", EN),
        ("> ```\n> kya hai kyun\n> ```\nend", EN),
        ("```\ncode\n```\nkya hai", HINGLISH),
        ("it costs $5 kya hai $6", HINGLISH),  # money is no formula
        ("", EN),
    ],
)
def test_the_rules_for_a_card(text: str, language: Language) -> None:
    assert card(text) is language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("it was on an axis with one two three four five six", EN),
        ("it was on an axis with one two three four five", HINGLISH),  # eleven words
        ("it axis one two was three four five six seven eight nine", HINGLISH),  # two function words
        ("it axis one two was three four five six seven eight an", EN),
        ("it axis one two was three four five six seven an hum", HINGLISH),
    ],
)
def test_an_english_card_of_a_hinglish_note_by_its_words(text: str, language: Language) -> None:
    assert card(text, HINGLISH) is language


def test_devanagari_must_be_more_than_a_sprinkle() -> None:
    assert card("कखगघ abcdef") is HINGLISH
    assert card("कखग abcdefg") is EN
    assert file("कखगघ abcdef " * 60) is HINGLISH


def test_a_heading_that_says_hinglish_counts_for_its_section() -> None:
    neutral = "softmax row sum"
    assert card(neutral, EN, ("Attention", "Hinglish summary")) is HINGLISH
    assert card(neutral, EN, ("Attention", "Summary")) is EN
    english = "The output projection mixes the heads and returns the result to the width of the model."
    assert card(english, EN, ("HINGLISH",)) is EN  # its words decide first


def test_the_words_of_a_file() -> None:
    assert file(ENGLISH_TEXT) is EN
    assert file(HINGLISH_TEXT) is HINGLISH
    # 15 strong words of 100, and 14
    assert file("hai " * 15 + "softmax " * 85) is HINGLISH
    assert file("hai " * 14 + "softmax " * 86) is EN
    # hardly a strong word, but all the short ones: "Softmax ka sum? … Heads ke parameters? … Har head mein?"
    assert file("mein " * 3 + "ka ke ki " * 9 + "softmax " * 70) is HINGLISH
    assert file("mein " * 2 + "ka ke ki " * 10 + "softmax " * 68) is EN
    assert file("mein " * 3 + "ka ke ki " * 8 + "softmax " * 73) is EN


def test_a_short_file_is_judged_like_a_card() -> None:
    assert file("#flashcards\n\nSoftmax ka sum kitna hota hai? :: 1") is HINGLISH
    assert file("#flashcards\n\nSum of softmax? :: 1") is EN
    assert file("hai " * 2 + "softmax " * 37) is HINGLISH
    assert file("hai " * 2 + "softmax " * 38) is EN


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("---\n" + "x: kya hai kyun\n" * 40 + "---\n" + ENGLISH_TEXT, EN),
        ("---\n# Hinglish\n---\n# Attention\n" + ENGLISH_TEXT, EN),
        ("---\nx: y\n" + HINGLISH_TEXT, HINGLISH),
        ("---\nx: y\n---", EN),
        ("", EN),
    ],
)
def test_front_matter_is_not_counted(text: str, language: Language) -> None:
    assert read_note(text, "n.md", Settings()).note.language is language


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("notes/mha.hinglish.md", HINGLISH),
        ("notes/MHA-Hinglish.md", HINGLISH),
        ("Hinglish/mha.md", HINGLISH),
        ("notes/mha.en.md", EN),
        ("notes/mha-EN.txt", EN),
        ("hinglish/mha.en.md", EN),
        ("en/mha.md", None),
        ("notes/token.md", None),
        ("notes/seven.en.notes.md", None),
    ],
)
def test_the_name_of_a_file(path: str, language: Language | None) -> None:
    assert file(ENGLISH_TEXT, path) is (language or EN)
    assert file(HINGLISH_TEXT, path) is (language or HINGLISH)


def test_the_title_of_a_file() -> None:
    assert file(ENGLISH_TEXT, title="Attention (Hinglish)") is HINGLISH
    assert file("# Attention, hinglish\n\n" + ENGLISH_TEXT) is HINGLISH
    assert file("# Attention\n\n## Hinglish\n\n" + ENGLISH_TEXT) is EN
    assert file("```\n# Hinglish\n```\n# Attention\n" + ENGLISH_TEXT) is EN


def test_the_strongest_statement_wins() -> None:
    assert file(HINGLISH_TEXT, "hinglish.md", EN, "Hinglish") is EN
    assert file(ENGLISH_TEXT, "x-en.md", HINGLISH, None) is HINGLISH
    assert file(HINGLISH_TEXT, "x-en.md", None, "Hinglish") is EN


@pytest.mark.skipif(not SHARED.exists(), reason="the pages this was measured on are not beside this checkout")
def test_pages_from_outside() -> None:
    page = {name: (SHARED / "seeds" / name).read_text("utf-8-sig") for name in _names("seeds")}
    assert {name: file(text, name) for name, text in page.items()} == {
        "000_f45b7d61c07c828c.txt": HINGLISH,
        "001_3fb050d14b13d446.txt": EN,
    }
    cards = json.loads((SHARED / "golden" / "seeds.json").read_text("utf-8"))
    assert len(cards) > 8
    for entry in cards:
        language = card(f"{entry['front']}\n{entry['back']}", file(page[entry["file"]], entry["file"]))
        assert language == entry["language"], entry["front"]


def _names(folder: str) -> list[str]:
    return sorted(path.name for path in (SHARED / folder).iterdir())


def test_the_word_lists() -> None:
    assert (len(STRONG), len(HINDI_ONLY), len(ALSO_ENGLISH), len(POSTPOSITIONS), len(ENGLISH)) == (309, 15, 35, 10, 28)
    assert not STRONG & HINDI_ONLY | STRONG & ALSO_ENGLISH | HINDI_ONLY & ALSO_ENGLISH
    assert POSTPOSITIONS <= HINDI_ONLY | ALSO_ENGLISH
    assert not STRONG & ENGLISH


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Kyu nhi?", "kyun nahi?"),
        ("kyon, kyoon, kyun", "kyun, kyun, kyun"),
        ("kyuki kyonki kyunke", "kyunki kyunki kyunki"),
        ("nahin nhi nahee", "nahi nahi nahi"),
        ("voh zyaada jyada ziyada bohot bahot", "woh zyada zyada zyada bahut bahut"),
        ("jata jati jate krta krti krte krna krne", "jaata jaati jaate karta karti karte karna karne"),
        ("dusra dusri dusre sath pahle pehele", "doosra doosri doosre saath pehle pehle"),
        ("islie jaha thik acha achha", "isliye jahan theek accha accha"),
        ("fayda fayada farak farq", "faayda faayda fark fark"),
        ("Head Kyun Nahi", "Head kyun nahi"),
        ("me h to fir main he ye wo lie nai ghalat kaha", "me h to fir main he ye wo lie nai ghalat kaha"),
        ("acharya kyunkar", "acharya kyunkar"),
        ("kyu_x kyu2", "kyun_x kyun2"),
        ("`kyu` $kyu$ $$kyu$$ \\kyu [x](kyu) https://kyu.example/kyu", None),
        ("cafe\u0301", "caf\u00e9"),
    ],
)
def test_spelling_variants(text: str, folded: str | None) -> None:
    assert fold(text, hinglish=False) == (text if folded is None else folded)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Softmax me kya h", "Softmax mein kya hai"),
        ("mei main he hn", "mein mein hai hain"),
        ("ye yah wo vo to fir", "yeh yeh woh woh toh phir"),
        ("lie kaha ghalat nai kyu", "liye kahan galat nahi kyun"),
        ("$h$ heads, `me`", "$h$ heads, `me`"),
    ],
)
def test_variants_that_are_english_words_too(text: str, folded: str) -> None:
    assert fold(text, hinglish=True) == folded
    assert fold(folded, hinglish=True) == folded


UNCLOSED = (
    "$a ",
    "`a ",
    "``` ",
    "\\( ",
    "\\[ ",
    "](a ",
    "[[a ",
    "$$a ",
    "```\n",
    "~~~\n \n",
    "a",
    "http://",
    "---\n",
    "\\",
)


@pytest.mark.parametrize("text", UNCLOSED)
def test_time_grows_with_the_length(text: str) -> None:
    long = text * (200_000 // len(text))
    start = time.process_time()
    file(long)
    card(long)
    fold(long, hinglish=True)
    assert time.process_time() - start < 8

"""How long notes take to read: ten times the length must take ten times the time, whatever stands in the note.

All figures are seconds of the processor. One over a second is measured four times more and the lowest of the five stands,
as in `timeit`: what else the machine does only adds to it.

python benchmarks/reading.py
"""

import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from cards import collection, pasted
from cards.flashcards import read_note
from cards.settings import Settings

ORDINARY = """## Heading {n}

What is the share of head {n}? :: $d_k = d_{{model}} / h$ of `dim`, see [[Heads|here]].

Which steps, in order?
?
1. project
2. split into **heads**

- a ==highlight== in an item, and text that goes on
  - a sub-item with a <!-- comment --> in it
> [!note] Title {n}
> Some text with a [link](https://example.org/a::b) and *more* of it.

| a | b |
|---|---|
| x | y:::z |

"""

NASTY = {
    "quote marks": "> " * 50_000,
    "quotes, line by line": ("> " * 40 + "x\n") * 1_200,
    "nested lists": "".join("  " * (n % 100) + "- x\n" for n in range(1_000)),
    "list marks in one line": "- " * 50_000,
    "brackets": "[" * 100_000,
    "brackets with targets": "[a](" * 25_000,
    "closed brackets with targets": "[a](" * 15_000 + " x" + ")" * 15_000,
    "fields": "[a:: " * 20_000,
    "wikilinks": "[[a " * 25_000,
    "brackets in an answer": "Q :: " + "[{\\" * 33_000,
    "pictures that never close": "Q :: " + "![_{" * 25_000,
    "pictures without a target": "Q :: " + "![a][" * 20_000,
    "TeX brackets that never close": "Q :: ![a](<b c.png>) " + "\\( " * 33_000,
    "elements that never close": "Q :: ![a](<b c.png>) " + "<pre>" * 20_000,
    "back-ticks below a table": "Q\n?\n![a](<b c.png>)\n\na|b\n-|-\n" + "".join("`" * n + " " for n in range(1, 440)),
    "blanks in an answer": "Q\n?\n![a](<b c.png>)\n" + " " * 99_000 + "y",
    "back-ticks": "".join("`" * n + " " for n in range(1, 440)),
    "dollars": "$a " * 33_000,
    "double dollars": "$$ a\n" * 20_000,
    "one dollar, many lines": "$a\n" * 33_000,
    "comments": "<!-- a " * 14_000,
    "crossing comments": "- a <!-- \n\n -->\n" * 7_000,
    "percent": "%% a\n\n" * 16_000,
    "tags of HTML": "<a b='" * 16_000,
    "elements": "<pre>" * 20_000,
    "highlights": "==a " * 25_000,
    "closed highlights": "==a== " * 16_000,
    "curly marks": "{{c1::a " * 12_500,
    "closed curly marks": "{{c1::a " * 10_000 + "}} " * 10_000,
    "stars": "**a *b " * 14_000,
    "colons": ":a:" * 33_000,
    "separators": "a :: " * 20_000,
    "separator lines": "?\n" * 50_000,
    "separator lines with blanks": "Q\n\n?\n\n" * 14_000,
    "question without an end": "Q\n" * 50_000 + "?\nA\n",
    "an answer that is one list": "Q\n?\n" + "- a\n\n" * 20_000,
    "items and sub-items": "- Q :: A\n" + "  - b\n" * 16_000,
    "pipes": "a|b\n-|-\n" + "|" * 100_000,
    "table rows": "a|b\n-|-\n" + "x :: y|z\n" * 11_000,
    "tags": "#flashcards/a " * 7_000,
    "tag lines": "#flashcards/a\nb :: c\n\n" * 4_500,
    "schedules": "a :: b\n<!--SR:!2031-01-02,3,250-->\n" * 2_500,
    "stray schedules": "<!--SR:!2031-01-02,3,250-->\n" * 3_500,
    "stray schedules below text": "a\n<!--SR:!2031-01-02,3,250-->\n" * 3_300,
    "schedules in cells": "a|b\n-|-\n" + "x :: y <!--SR:!2031-01-02,3,250-->|" * 2_800,
    "schedules in cells without a card": "a|b\n-|-\n" + "x::y|" * 10_000 + "<!--SR:!2031-01-02,3,250-->|" * 1_700,
    "highlights that share no schedules": "==a==\n" * 8_000 + "b\n" + "<!--SR:!2031-01-02,3,250-->\n" * 1_800,
    "fronts without a back": "a\nQ ::\n" * 14_000,
    "pipes in an answer": "Q :: " + "?|" * 48_000 + "?\n",
    "blanks in a formula of a page": "Q: " + "}}]1" * 10_000 + "\t" * 55_000 + "==\n",
    "wikilinks in a heading": "# " + "[[ a " * 19_000 + "\n\nQ\n?\nA\n",
    "stars before a name": "*" * 70_000 + "a\tb" * 9_000,
    "question marks in a heading": "# " + "?" * 60_000 + "a b " * 9_000,
    "empty items": "-\n" * 50_000,
    "rule lines": "- - -\n" * 16_000,
    "fences": "```\n" * 25_000,
    "headings": "# a\n" * 25_000,
    "blanks": " " * 100_000,
    "carriage returns": "\r" * 100_000,
    "line separators": "\u2028" * 50_000,
    "addresses": "http://a" * 12_500,
    "escapes": "\\" * 100_000,
    "closed highlights, line by line": "==a==\n" * 16_000,
    "clozes in Devanagari": "क ==ख== ग\n\n" * 9_000,
    "cards in Devanagari": "क्या है? :: यह है।\n" * 5_000,
    "cards in Hinglish": "Softmax kyun chahiye? :: kyunki scores ka sum ek hona chahiye\n\n" * 1_600,
    "equal cards": "Q :: A\n" * 14_000,
    "formulas": "$a_1$ is $b$ " * 8_000,
    "a formula of many lines": "\\(" + "a\n" * 50_000 + "\\) :: b",
    "formulas in brackets": "\\(a\\) " * 16_000,
    "a large cell": "a|b\n-|-\n" + "x " * 49_000 + "| y :: z\n",
    "nested callouts": ("> " * 30 + "[!note] a\n" + "> " * 30 + "b :: c\n\n") * 800,
    "block ids": "".join(f"a :: b ^id-{n}\n" for n in range(6_500)),
    "equal block ids": "a :: b ^the-id\n" * 6_500,
    "crossing carets": "a ^b " * 20_000 + ":: c",
    "front matter": "---\n" + "".join(f"k{n}: v\n" for n in range(10_000)) + "---\na :: b\n",
    "tags in front matter": "---\ntags: [" + "a/b, " * 19_000 + "c]\n---\na :: b\n",
    "lines that look like cards": "Q: a\nA: b\n\n" * 8_500,
    "wide marks": "？\n" * 50_000,
    "line feeds and carriage returns": "a :: b\r\n" * 12_500,
    "zero-width blanks": "\u200b" * 100_000,
    "Chinese": "注意力是什么 :: 一种加权平均\n" * 5_500,
    "pictures": "![a](b.png) :: ![[c.png]]\n" * 3_700,
    "commands of TeX": "a :: $" + "\\frac{a}{" * 10_000 + "}" * 10_000 + "$\n",
    "unknown commands of TeX": "a :: $\\unknown_{1}$\n\n" * 4_700,
    "why-questions": "## Why {n}?\n\nWhy is it so? Because of that.\n\n" * 2_000,
    "boxes": "> [!example] The sum\n> It is: $x$\n\n" * 2_500,
    "lists announced": "The sum has three parts:\n\n- a\n- b\n- c\n\n" * 2_300,
    "breadcrumbs": "A › B › C\n\n" * 9_000,
    "labels": "Worked example: the sum\n\nx = y\n\n" * 2_800,
    "lost cards": "#flashcards/a\n\nWhat is it?\n\nx = y\n\nIt is that.\n\n" * 1_900,
    "a long tail of a page": "#flashcards/a\n\n" + "What is it?\n\nIt is that.\n\n" * 3_900,
    "broken highlights": "The sum $A ==B==$ is it\n" * 4_100,
    "fences in quotes, text between": "> ```\nb\n" * 12_500,
    "quotes that end early in quotes": "> > ```\n> b\nc\n" * 7_000,
    "quotes in lists": "- > - > - > a\n" * 7_000,
    "lists and paragraphs": "- a\n\nb\n\n" * 11_000,
    "lists and quotes": "- a\n> b\n" * 12_000,
    "underlined headings": "Title\n===\n\n" * 9_000,
    "equal headings": "## A\n\na\n\n" * 10_000,
    "lines of hashes": "#\n" * 50_000,
    "hashes in a heading": "# " * 50_000,
    "small questions": "Q\n?\nA\n\n" * 12_500,
    "cards to be typed": "#type-in a :: b\n\n" * 6_000,
    "numbers alone": "1\n\na\n\n2\n\nb\n\n" * 8_000,
    "footnotes": "".join(f"==a==[^{n}]\n\n[^{n}]: b\n\n" for n in range(4_000)),
    "a long word": "a" * 100_000,
    "calls of methods": "a.b(" * 25_000,
    "bullets": "• a\n  ◦ b\n" * 10_000,
    "a callout and many separators": "> [!a] b\n" + "> b\n" * 12_500 + "?\n" * 25_000,
    "callouts and text below": "> [!a] b\n?\n" * 9_000,
    "headings in quotes and text below": "> # a\nb\n" * 12_500,
    "closed highlights in items": "- ==a==\n" * 12_500,
    "formulas with lines to themselves": "$$\na\n$$\n\n" * 11_000,
    "bullets and text": "• a\nb\n" * 16_000,
    "formulas that never close": "Q\n?\n$$\n{a\nb\n$$\n\n" * 6_200,
    "pictures, each another": "".join(f"![a](b{n}.png) :: ![[c{n}.png]]\n" for n in range(3_100)),
    "small tables by tabs": "a\tb\nc\td\n\n" * 11_000,
    "formulas without dollars": "a_{1} = b^2\n\n" * 7_600,
    "parts of formulas": "x\n\n_{1} +\n\n" * 9_000,
    "Q and A": "Q: what is it\n\nA: this one\n\n" * 3_500,
    "code lines": "x = foo(1);\ny = bar(x)\n\n" * 4_300,
    "deep headings": "# A\n\n## B\n\n### C\n\n#### D\n\n##### E\n\n###### What is F?\n\nIt is.\n\n" * 1_500,
    "separators alone, apart": "::\n\n" * 25_000,
    "quotes with cards and empty items": ">> d :: e\n- \n" * 7_500,
    "tag lines as questions, apart": "#t :: u\n\n" * 11_000,
    "signs of TeX in long lines": ("Q\\[ " * 2_000 + "\n\n") * 12,
    "relations and signs of TeX in long lines": ("</pre>\\(\\ " * 800 + "\n\n") * 12,
    "cards beside questions": "What is it in words?\n\nA mixing of vectors.\n\nSo it :: mixing of vectors\n\n" * 1_300,
}


SETTINGS = Settings()


def read(text: str) -> None:
    read_note(text, "note.md", SETTINGS, everything=True)


def read_all(text: str) -> None:
    """The way of `mha-quiz cards --derived`, with all its checks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "note.md"
        path.write_bytes(text.encode())
        collection.read([path], everything=True, derived=True)


def tidy(text: str) -> None:
    pasted.tidy(text, "page.txt", SETTINGS)


def seconds(work: Callable[[str], None], text: str) -> float:
    gc.collect()  # what was read before is gone, as a command reads a note once
    start = time.process_time()
    work(text)
    return time.process_time() - start


def attention_notes(cards: int, notes: int = 20) -> Iterator[tuple[str, str]]:
    """Names and texts of notes with cards full of mathematics."""
    for note in range(notes):
        blocks = [f"#flashcards/part{note % 5}"]
        for at in range(note * cards // notes, (note + 1) * cards // notes):
            if at % 50 == 0:
                blocks.append(f"## Section {at // 50}\n\nWhat layer {at} does, with $d_k = {at}$.")
            shape = f"$W_{{{at}}}^Q \\in \\mathbb{{R}}^{{d_{{\\text{{model}}}} \\times d_k}}$"
            cost = f"$\\frac{{n^2 d}}{{{at % 97 + 2}}}$"
            blocks.append(f"What is the size of {shape} in layer {at}? :: It grows like {cost}, with $d_k = 64$.")
        yield f"note{note}.md", "\n\n".join(blocks) + "\n"


def lowest(work: Callable[[str], None], text: str) -> float:
    took = seconds(work, text)
    return took if took <= 1 else min(took, *(seconds(work, text) for _ in range(4)))


def deck_of(cards: int) -> float:
    """Seconds for reading the notes of so many cards; the best of three."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in attention_notes(cards):
            Path(folder, name).write_bytes(text.encode())
        return min(seconds(lambda path: collection.read([Path(path)]), folder) for _ in range(3))


def main() -> None:
    gc.disable()  # as all commands do that read notes
    block = ORDINARY.format(n=1)
    sizes = {size: "#flashcards\n\n" + block * (size * 1_000_000 // len(block)) for size in (1, 10)}
    seconds(read, block)
    took = {size: seconds(read, text) for size, text in sizes.items()}
    print(f"1 MB {took[1]:.2f} s, 10 MB {took[10]:.2f} s, ratio {took[10] / took[1]:.1f}")
    print(f"10,000 cards with mathematics in 20 notes {deck_of(10_000):.2f} s")
    print(f"{'':38}    note  with derived cards  tidied")
    for name, text in NASTY.items():
        note, derived, tidied = (lowest(work, text) for work in (read, read_all, tidy))
        told = "  TOO SLOW" if max(note, derived, tidied) > 1 else ""
        print(f"{name:32} {len(text) // 1000:3} kB {note:6.2f} s {derived:18.2f} s {tidied:5.2f} s{told}")


if __name__ == "__main__":
    main()

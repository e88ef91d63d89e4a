"""How long notes take to read: ten times the length must take ten times the time, whatever stands in the note.

python benchmarks/reading.py
"""

import time

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
    "empty items": "-\n" * 50_000,
    "rule lines": "- - -\n" * 16_000,
    "fences": "```\n" * 25_000,
    "headings": "# a\n" * 25_000,
    "blanks": " " * 100_000,
    "carriage returns": "\r" * 100_000,
    "line separators": "\u2028" * 50_000,
    "addresses": "http://a" * 12_500,
    "escapes": "\\" * 100_000,
}


def seconds(text: str, settings: Settings) -> float:
    start = time.process_time()
    read_note(text, "note.md", settings, everything=True)
    return time.process_time() - start


def main() -> None:
    settings = Settings()
    block = ORDINARY.format(n=1)
    sizes = {size: "#flashcards\n\n" + block * (size * 1_000_000 // len(block)) for size in (1, 10)}
    seconds(sizes[1], settings)
    took = {size: seconds(text, settings) for size, text in sizes.items()}
    print(f"1 MB {took[1]:.2f} s, 10 MB {took[10]:.2f} s, ratio {took[10] / took[1]:.1f}")
    for name, text in NASTY.items():
        time_taken = seconds(text, settings)
        print(f"{name:32} {len(text) // 1000:4} kB {time_taken:6.2f} s{'  TOO SLOW' if time_taken > 1 else ''}")


if __name__ == "__main__":
    main()

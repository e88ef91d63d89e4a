r"""TeX as one line of terminal text: `\frac{QK^T}{\sqrt{d_k}}` → `QKᵀ/√(dₖ)`.

A parser of its own: to most libraries scripts are mere characters, and here they are what matters.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from mha_quiz import math_pieces
from mha_quiz import tex_signs as signs
from mha_quiz.math_pieces import Kind, Piece, Unreadable

DEEPEST = 60
"""Groups inside groups; a formula beyond it is shown as it is written."""
_TOKEN = re.compile(r"\\(?:operatorname\*|[A-Za-z]+|.)|\s+|[0-9]+(?:\.[0-9]+)*|[^\W\d_]+|.", re.DOTALL)
_TEXT = re.compile(r"\\([{}$%&#_ ])")
_ROOTS = {"2": "√", "3": "∛", "4": "∜"}


def math_text(tex: str) -> str:
    """One line for a formula; never raises. A formula that cannot be read comes back as it is, on one line."""
    try:
        pieces = _Parser(_TOKEN.findall(tex)).all()
    except Unreadable:
        return tex.replace("\n", " ")
    return math_pieces.line(pieces).strip()


class _Parser:
    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def all(self) -> list[Piece]:
        pieces = self._until("")
        if self._at < len(self._tokens):
            raise Unreadable
        return pieces

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        if not token:
            raise Unreadable
        self._at += 1
        return token

    def _skip_blanks(self) -> None:
        while self._peek().isspace():
            self._at += 1

    def _until(self, end: str) -> list[Piece]:
        """The pieces up to the token `end`, which is taken too; without one, up to where no piece begins."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unreadable
        pieces: list[Piece] = []
        while True:
            self._skip_blanks()
            token = self._peek()
            if end and token == end:
                self._at += 1
                break
            if token in ("", "}", "\\end", "\\right"):
                if end:
                    raise Unreadable
                break
            if token in ("_", "^"):
                self._at += 1
                base = math_pieces.base_of(pieces)
                pieces.append(math_pieces.scripted(base, token, self._argument()))
            elif token == "'":
                self._at += 1
                base = math_pieces.base_of(pieces)
                pieces.append(replace(base, text=base.text + "'"))
            else:
                pieces += self._atom()
        self._depth -= 1
        return math_pieces.with_signs(pieces)

    def _argument(self) -> list[Piece]:
        """One group, command, or character."""
        self._skip_blanks()
        token = self._next()
        if token == "{":
            return self._until("}")
        if token.startswith("\\"):
            self._at -= 1
            return self._atom()
        if token in ("}", "_", "^", "&"):
            raise Unreadable
        if len(token) > 1:
            self._tokens = [*self._tokens[: self._at - 1], token[0], token[1:], *self._tokens[self._at :]]
        return math_pieces.with_signs(math_pieces.plain(token[0]))

    def _atom(self) -> list[Piece]:
        token = self._next()
        if token == "{":
            return math_pieces.grouped(self._until("}"))
        if token == "~":
            return [Piece(" ", Kind.BLANK)]
        if token == "&":
            return [Piece("", Kind.CELL)]
        if not token.startswith("\\"):
            return math_pieces.plain(token)
        if token == "\\":
            raise Unreadable
        return self._command(token[1:])

    def _command(self, name: str) -> list[Piece]:
        if name in ("\\", "newline", "cr"):
            return [Piece("", Kind.ROW)]
        if name == "begin":
            return self._environment()
        if name == "left":
            return self._between()
        if name in signs.UNSEEN:
            return []
        if name in signs.BLANKS:
            return [Piece(signs.BLANKS[name], Kind.BLANK)]
        if name in ("{", "}"):
            return [Piece(name, Kind.OPENING if name == "{" else Kind.CLOSING)]
        if name in signs.TEXTS:
            return self._text()
        if name.removesuffix("*") in signs.FONTS:
            return math_pieces.grouped(self._argument())
        if name == "mathbb":
            shown = math_pieces.line(self._argument())
            return [math_pieces.word("".join(signs.BLACKBOARD.get(letter, letter) for letter in shown))]
        if name in signs.FRACTIONS:
            return [math_pieces.fraction(self._argument(), self._argument())]
        if name == "sqrt":
            return [self._root()]
        if name in signs.ACCENTS:
            return [Piece(f"{signs.ACCENTS[name]}({math_pieces.line(self._argument())})", begins_word=True)]
        if name in signs.TWO_PLACED:
            first, second = self._argument(), self._argument()
            return [
                Piece(
                    f"{signs.TWO_PLACED[name]}({math_pieces.line(first)}, {math_pieces.line(second)})", begins_word=True
                )
            ]
        if name in signs.BRACED:
            return [Piece(math_pieces.operand(self._argument()))]
        if name in signs.FUNCTIONS:
            return [math_pieces.word(name)]
        return math_pieces.sign(name) or [math_pieces.word(f"\\{name}")]

    def _text(self) -> list[Piece]:
        """Words as they stand; between dollars there may be a formula again."""
        self._skip_blanks()
        if self._peek() != "{":
            return math_pieces.grouped(self._argument())
        self._at += 1
        depth, start = 1, self._at
        while depth:
            token = self._next()
            depth += (token == "{") - (token == "}")
        raw = "".join(self._tokens[start : self._at - 1])
        shown = "".join(math_text(part) if odd % 2 else part for odd, part in enumerate(re.split(r"(?<!\\)\$", raw)))
        shown = re.sub(r"\s+", " ", _TEXT.sub(r"\1", shown.replace("~", " "))).replace("{", "").replace("}", "")
        return [math_pieces.word(shown)]

    def _root(self) -> Piece:
        self._skip_blanks()
        index = ""
        if self._peek() == "[":
            self._at += 1
            index = math_pieces.line(self._until("]"))
        body = self._argument()
        shown = math_pieces.line(body)
        sign = _ROOTS.get(index or "2")
        if sign is None:
            return Piece(f"root({index}, {shown})", begins_word=True)
        if shown.isdecimal() or (math_pieces.is_word(shown) and shown.isalpha()):
            return Piece(sign + shown, ends_word=True)
        return Piece(f"{sign}({shown})")

    def _between(self) -> list[Piece]:
        opening = self._delimiter(Kind.OPENING)
        body = self._until("\\right")
        return [*opening, *body, *self._delimiter(Kind.CLOSING)]

    def _delimiter(self, kind: Kind) -> list[Piece]:
        self._skip_blanks()
        token = self._next()
        if token == ".":
            return []
        if token[0].isalnum():
            raise Unreadable
        found = [Piece(token[1:])] if token in ("\\{", "\\}") else math_pieces.sign(token.removeprefix("\\"))
        if len(found) != 1:
            raise Unreadable
        return [replace(found[0], kind=kind)]

    def _environment(self) -> list[Piece]:
        name = self._name()
        if name == "array":
            self._argument()
        body = self._until("\\end")
        if self._name() != name:
            raise Unreadable
        if name in signs.CASES:
            rows = "; ".join(math_pieces.case(row) for row in math_pieces.rows(body))
            return [Piece(f"{{ {rows} }}")]
        if name in signs.MATRICES:
            rows = "; ".join(", ".join(map(math_pieces.line, math_pieces.cells(row))) for row in math_pieces.rows(body))
            return [Piece(f"[{rows}]")]
        if name in signs.ROWS:
            return body
        return [
            math_pieces.word(f"\\begin{{{name}}}"),
            Piece(" ", Kind.BLANK),
            *body,
            math_pieces.word(f"\\end{{{name}}}"),
        ]

    def _name(self) -> str:
        if self._next() != "{":
            raise Unreadable
        name = ""
        while (token := self._next()) != "}":
            name += token
        return name

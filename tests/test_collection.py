"""Files and folders as they lie on a disk, read into one collection."""

import base64
import json
import os
import sys
from pathlib import Path

import pytest

from cards.collection import read, texts
from cards.interchange import card_json, problem_json
from cards.model import Origin

CASES = Path(__file__).parents[2] / "shared" / "cases" / "notes.json"
MEDIA = {"missing-media", "unsafe-path"}
"""Codes of the room that packs pictures."""


def lay_out(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def problems_of(folder: Path) -> list[str]:
    return [f"{p.place} {p.code}: {p.message}".replace(f"{folder}{os.sep}", "") for p in read([folder]).problems]


def fronts(paths: list[Path], **options: bool) -> list[str]:
    return [card.content.front for card in read(paths, **options).cards]


def prepared_cases():
    if not CASES.exists():
        return []
    return [pytest.param(case, id=case["id"]) for case in json.loads(CASES.read_text(encoding="utf-8"))]


def toml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)  # strings, booleans and lists of strings are written alike


def agrees(card: dict, wanted: dict) -> bool:
    return all(
        (
            len(value) == len(card[key])
            and all(entry.items() <= got.items() for entry, got in zip(value, card[key], strict=True))
        )
        if key == "schedule"
        else (card[key].replace("} }", "}}") if key == "front" else card[key]) == value
        for key, value in wanted.items()
    )


@pytest.mark.parametrize("case", prepared_cases())
def test_a_prepared_case_gives_its_cards_and_problems(case, tmp_path):
    lay_out(tmp_path, case["files"])
    lay_out(tmp_path, {name: base64.b64decode(text) for name, text in case.get("files_base64", {}).items()})
    if settings := case.get("settings"):
        lines = ["[cards]", *(f"{key} = {toml(value)}" for key, value in settings.items())]
        lay_out(tmp_path, {"mha-quiz.toml": "\n".join(lines)})
    found = read([tmp_path])
    cards = [card_json(card, "") for card in found.cards]
    for card in cards:
        card["path"] = Path(card["path"]).relative_to(tmp_path).as_posix()
    wanted = [case["cards"], *(other["cards"] for other in case.get("or", []))]
    assert any(len(cards) == len(each) and all(map(agrees, cards, each)) for each in wanted), (
        f"{cards}\n{found.problems}"
    )
    told = [(p.code, Path(p.place.path).relative_to(tmp_path).as_posix(), p.place.line) for p in found.problems]
    for problem in case.get("problems", []):
        if problem["code"] not in MEDIA:
            assert (problem["code"], problem["path"], problem["line"]) in told


def test_a_folder_is_walked_in_order_without_what_is_hidden_or_drawn(tmp_path):
    note = "#flashcards\n\n{} :: x\n"
    names = ["b.md", "a/z.markdown", "a/y.txt", "c.MD", ".hidden/h.md", ".h.md", "d.excalidraw.md", "e.rst"]
    lay_out(tmp_path, {name: note.format(name) for name in names})
    assert fronts([tmp_path]) == ["a/y.txt", "a/z.markdown", "b.md", "c.MD"]


def test_a_named_file_is_read_whatever_it_is_called(tmp_path):
    lay_out(tmp_path, {".x.rst": "#flashcards\n\na :: b\n"})
    assert fronts([tmp_path / ".x.rst"]) == ["a"]


def test_links_to_folders_are_not_followed_and_no_file_is_read_twice(tmp_path):
    lay_out(tmp_path, {"notes/a.md": "#flashcards\n\na :: b\n"})
    (tmp_path / "notes" / "again").symlink_to(tmp_path / "notes", target_is_directory=True)
    (tmp_path / "notes" / "b.md").symlink_to(tmp_path / "notes" / "a.md")
    assert fronts([tmp_path, tmp_path / "notes" / "a.md"]) == ["a"]


def test_our_own_files_are_no_notes_though_a_star_names_them(tmp_path):
    lay_out(tmp_path, {"a.md": "#flashcards\n\na :: b\n", "mha-quiz.toml": "#flashcards a :: b\n[cards]\n"})
    (tmp_path / "cards.lock").write_text('"deck": "x::y", "question": "see #flashcards"\n', encoding="utf-8")
    assert fronts(sorted(tmp_path.iterdir())) == ["a"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes among files there")
def test_what_is_no_file_is_passed_over_in_folders(tmp_path):
    lay_out(tmp_path, {"a.md": "#flashcards\n\na :: b\n", "folder.md/c.md": "#flashcards\n\nc :: d\n"})
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (tmp_path / "one.md").symlink_to(tmp_path / "two.md")
    (tmp_path / "two.md").symlink_to(tmp_path / "one.md")
    os.mkfifo(tmp_path / "pipe.md")
    assert fronts([tmp_path]) == ["a", "c"]


def test_what_is_gone_is_told_as_gone(tmp_path):
    with pytest.raises(FileNotFoundError):
        read([tmp_path / "gone.md"])


def test_notes_that_were_spoiled_or_taken_away_since_they_were_read_have_no_text(tmp_path):
    notes = read([lay_out(tmp_path, {"a.md": "a::b", "b.md": "c::d", "c.md": "e::f"})]).notes
    (tmp_path / "a.md").unlink()
    (tmp_path / "b.md").write_bytes(b"\xff")
    assert [text for _, text, _ in texts(notes)] == ["e::f"]


def test_paths_to_ignore_count_from_the_folder_with_the_settings(tmp_path):
    note = "#flashcards\n\n{} :: x\n"
    lay_out(tmp_path, {name: note.format(name) for name in ("in/a.md", "out/b.md", "in/old/c.md")})
    lay_out(tmp_path, {"mha-quiz.toml": '[cards]\nignore_paths = ["out", "**/old"]\n'})
    assert fronts([tmp_path]) == ["in/a.md"]
    assert fronts([tmp_path / "in"]) == ["in/a.md"]
    assert fronts([tmp_path / "out" / "b.md"]) == ["out/b.md"]


def test_each_folder_has_its_own_settings(tmp_path):
    lay_out(
        tmp_path,
        {
            "a/mha-quiz.toml": '[cards]\ninline = ";;"\n',
            "a/x/n.md": "#flashcards\n\np ;; q\n",
            "b/n.md": "#flashcards\n\nr :: s\n",
        },
    )
    assert fronts([tmp_path]) == ["p", "r"]


def test_folders_name_decks_where_no_tag_does(tmp_path):
    lay_out(
        tmp_path,
        {"mha-quiz.toml": "", "a/b/n.md": "p :: q\n", "m.md": "r :: s\n", "a/t.md": "#flashcards/t\n\nu :: v\n"},
    )
    assert [card.deck for card in read([tmp_path / "a"], everything=True).cards] == ["a::b", "t"]
    assert [card.deck for card in read([tmp_path], everything=True).cards] == ["a::b", "t", "Flashcards"]


def test_a_deck_is_called_as_it_was_spelled_first(tmp_path):
    files = {
        "a.md": "#Flashcards/Bio/Cell\n\nWhat is it? :: a\n\n#flashcards/bio\n\nc :: d\n",
        "b.md": "---\nderived: true\n---\n#flashcards/BIO/cell\n\nWhat is it? :: f\n\n## Why is it so?\nSince g.\n",
        "c.md": "#flashcards/cafe\u0301\n\nh :: i\n\n#flashcards/Caf\u00e9/x\n\nj :: k\n",
    }
    found = read([lay_out(tmp_path, files)])
    assert [card.deck for card in found.cards] == [
        "Bio::Cell",
        "Bio",
        "Bio::Cell",
        "Bio::Cell::From the notes",
        "cafe\u0301",
        "cafe\u0301::x",
    ]
    assert [problem.code for problem in found.problems] == ["same-front"]


def test_without_settings_folders_count_from_the_one_that_was_named(tmp_path):
    lay_out(tmp_path, {"a/b/n.md": "p :: q\n"})
    assert [card.deck for card in read([tmp_path / "a"], everything=True).cards] == ["b"]
    assert [card.deck for card in read([tmp_path / "a" / "b" / "n.md"], everything=True).cards] == ["Flashcards"]


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"caf\xe9", "n.md:1:4 not-utf8: not UTF-8: byte 0xE9"),
        (b"a\r\nb\rc\n\xc3\xa9\xff", "n.md:4:2 not-utf8: not UTF-8: byte 0xFF"),
        (b"\xef\xbb\xbfa\xff", "n.md:1:2 not-utf8: not UTF-8: byte 0xFF"),
        (b"\xff\xfea\x00", "n.md:1:1 not-utf8: not UTF-8: byte 0xFF"),
        (b"a\xf0\x9f", "n.md:1:2 not-utf8: not UTF-8: byte 0xF0"),
    ],
)
def test_a_file_that_is_not_utf8_is_named_with_the_first_bad_byte(content, place, tmp_path):
    lay_out(tmp_path, {"n.md": content})
    assert problems_of(tmp_path) == [place]


def test_a_byte_order_mark_and_line_ends_shift_no_place(tmp_path):
    text = "\ufeff#flashcards\n\na :: b\n\nQ\n?\nA\n\n  - c ==d==\n"
    places = []
    for end in ("\n", "\r\n", "\r"):
        lay_out(tmp_path, {"n.md": text.replace("\n", end)})
        places.append([(card.place.line, card.place.column, card.content) for card in read([tmp_path]).cards])
    assert [place[:2] for place in places[0]] == [(3, 1), (5, 1), (9, 5)]
    assert places[0] == places[1] == places[2]


def test_equal_questions_in_one_deck_and_language_are_told(tmp_path):
    lay_out(
        tmp_path,
        {
            "a.md": "#flashcards/x\n\ncafe\u0301 :: b\n",
            "b.md": "#flashcards/x\n\ncaf\u00e9 ::: c\n\n#flashcards/y\n\ncaf\u00e9 :: d\n",
        },
    )
    message = f"the same question as in {tmp_path / 'a.md'}:3; both cards are kept"
    assert [(str(p.place), p.message) for p in read([tmp_path]).problems] == [(f"{tmp_path / 'b.md'}:3:1", message)]


def test_twins_may_ask_the_same(tmp_path):
    lay_out(
        tmp_path,
        {
            "a.md": "---\ntags: flashcards\ntwin: sub/b.md\n---\nsoftmax? :: b\n",
            "sub/b.md": "#flashcards\n\nsoftmax? :: c\n",
        },
    )
    assert problems_of(tmp_path) == []
    lay_out(tmp_path, {"c.md": "#flashcards\n\nsoftmax? :: c\n"})
    assert [line.partition(" ")[0] for line in problems_of(tmp_path)] == ["c.md:3:1"]


def test_a_setting_that_cannot_be_used_is_told_once(tmp_path):
    lay_out(tmp_path, {"mha-quiz.toml": "[cards]\ninline = 1\n", "a.md": "x\n", "b/c.md": "x\n"})
    assert problems_of(tmp_path) == [
        "mha-quiz.toml:2:1 bad-setting: inline: 1 is not usable (not a text); the setting is ignored"
    ]


PAGE = """Attention

#flashcards/ai

• First Point
• second point

What is a head? :: a slice

Which formula?

a = b

What comes next?

c = d
"""


def test_the_places_of_a_pasted_page_are_those_of_the_page(tmp_path):
    lay_out(tmp_path, {"p.txt": PAGE})
    found = read([tmp_path])
    assert [note.page for note in found.notes] == [True]
    lines = PAGE.split("\n")
    marked = [card for card in found.cards if card.origin is Origin.FLASHCARD]
    assert [(card.place.line, card.place.column, card.content.front) for card in marked] == [
        (lines.index("What is a head? :: a slice") + 1, 1, "What is a head?")
    ]
    rebuilt = [card for card in found.cards if card.origin is Origin.RECONSTRUCTED]
    assert [(card.place.line, card.content.front, card.content.back) for card in rebuilt] == [
        (lines.index("Which formula?") + 1, "Which formula?", "$a = b$"),
        (lines.index("What comes next?") + 1, "What comes next?", "$c = d$"),
    ]


def test_scripts_get_what_is_promised(tmp_path):
    lay_out(tmp_path, {"n.md": "# H\n\n#flashcards/x #t\n\n==a}}b;;c== d ==e==\n<!--SR:!2031-01-02,3,250-->\n\nf ::\n"})
    found = read([tmp_path])
    path = str(tmp_path / "n.md")
    assert [card_json(card, "id") for card in found.cards] == [
        {
            "id": "id",
            "kind": "cloze",
            "origin": "flashcard",
            "front": "{{c1::a} }b::c}} d {{c2::e}}",
            "back": "",
            "deck": "x",
            "tags": ["t"],
            "language": "en",
            "heading": ["H"],
            "path": path,
            "line": 5,
            "column": 1,
            "schedule": [{"due": "2031-01-02", "interval": 3, "ease": 250}],
        }
    ]
    assert [problem_json(problem) for problem in found.problems] == [
        {"path": path, "line": 8, "column": 3, "code": "no-back", "message": 'nothing stands after "::"'}
    ]

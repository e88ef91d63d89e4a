"""Settings of a folder: two files, their precedence, every way to get one wrong, and the globs."""

import json
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest

from cards.cloze_patterns import BOLD, CURLY, HIGHLIGHT, ClozePattern
from cards.model import Place, Problem
from cards.setting_values import DERIVED_KINDS, READERS
from cards.settings import FILE_NAME, PLUGIN_FILE, Settings, load, path_matches

Write = Callable[[str], Path]


@pytest.fixture
def toml(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        (tmp_path / FILE_NAME).write_text(text, encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def plugin(tmp_path: Path) -> Callable[[object], Path]:
    def write(settings: object) -> Path:
        path = tmp_path / PLUGIN_FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"settings": settings}, indent=2), encoding="utf-8")
        return tmp_path

    return write


def told(folder: Path, *places_and_messages: tuple[int, int, str]) -> None:
    loaded = load(folder)
    path = str(folder / FILE_NAME)
    expected = [Problem(Place(path, line, column), "bad-setting", text) for line, column, text in places_and_messages]
    assert list(loaded.problems) == expected


def test_every_setting_has_a_reader() -> None:
    assert {entry.name for entry in fields(Settings)} == set(READERS)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    assert loaded.settings == Settings()
    assert loaded.root is None
    assert loaded.problems == ()


def test_every_key_of_the_table_is_read(toml: Write) -> None:
    folder = toml("""
[cards]
inline = "->"
inline_reversed = "<->"
multiline = " —"
multiline_reversed = ""
multiline_end = "+++ "
cloze = ["==", "**", "{{"]
deck_tags = ["#карточки", "basics/", ""]
ignore_tags = "#draft, private"
folders_as_decks = true
ignore_paths = ["Templates", "**/*.old.md"]
fields = "quiet"
comments = "text"
callouts = ["quiz"]
derived = ["why", "mistake"]
format = "page"
pages = ["clippings/*"]
labels = ["Key fact=note", "Trap = mistake"]
""")
    loaded = load(folder)
    assert loaded.problems == ()
    assert loaded.root == folder.resolve()
    assert loaded.settings == Settings(
        inline="->",
        inline_reversed="<->",
        multiline="—",
        multiline_reversed="",
        multiline_end="+++",
        cloze=(HIGHLIGHT, BOLD, CURLY),
        deck_tags=("карточки", "basics", ""),
        ignore_tags=("draft", "private"),
        folders_as_decks=True,
        ignore_paths=("Templates", "**/*.old.md"),
        fields="quiet",
        comments="text",
        callouts=("quiz",),
        derived=("why", "mistake"),
        format="page",
        pages=("clippings/*",),
        labels=(("Key fact", "note"), ("Trap", "mistake")),
    )


@pytest.mark.parametrize(
    ("text", "derived"), [('"auto"', "auto"), ("true", DERIVED_KINDS), ("false", ()), ('"why, step"', ("why", "step"))]
)
def test_derived(toml: Write, text: str, derived: object) -> None:
    assert load(toml(f"[cards]\nderived = {text}")).settings.derived == derived


def test_a_list_given_as_a_text(toml: Write) -> None:
    loaded = load(toml('[cards]\ncallouts = "quiz, card,  todo,"\ncloze = ""'))
    assert (loaded.settings.callouts, loaded.settings.cloze) == (("quiz", "card", "todo"), ())


def test_a_separator_of_blanks_is_off(toml: Write, plugin: Callable[[object], Path]) -> None:
    loaded = load(toml('[cards]\ninline = "  "\nmultiline = "\\t"'))
    assert (loaded.settings.inline, loaded.settings.multiline, loaded.problems) == ("", "", ())
    assert load(plugin({"singleLineReversedCardSeparator": " "})).settings.inline_reversed == ""


def test_an_empty_text_as_deck_tag_counts_every_note(toml: Write) -> None:
    assert load(toml('[cards]\ndeck_tags = ""')).settings.deck_tags == ("",)


def test_every_key_of_the_plugin_is_read(plugin: Callable[[object], Path]) -> None:
    folder = plugin(
        {
            "singleLineCardSeparator": ":=",
            "singleLineReversedCardSeparator": "",
            "multilineCardSeparator": "—",
            "multilineReversedCardSeparator": "——",
            "multilineCardEndMarker": "+++ ",
            "clozePatterns": ["==[123;;]answer[;;hint]==", "{@{[123::]answer[::hint]}@}"],
            "flashcardTags": ["#flashcards", "#basics"],
            "flashcardTagsToIgnore": ["#old"],
            "convertFoldersToDecks": True,
            "noteFoldersToIgnore": ["Archive"],
            "burySiblingCards": True,
        }
    )
    loaded = load(folder)
    assert loaded.problems == ()
    assert loaded.root == folder.resolve()
    assert loaded.settings == Settings(
        inline=":=",
        inline_reversed="",
        multiline="—",
        multiline_reversed="——",
        multiline_end="+++",
        cloze=(HIGHLIGHT, ClozePattern("{@{", "}@}", "::")),
        deck_tags=("flashcards", "basics"),
        ignore_tags=("old",),
        folders_as_decks=True,
        ignore_paths=("Archive",),
    )


@pytest.mark.parametrize(
    ("pattern", "read"),
    [
        ("==", HIGHLIGHT),
        ("**[123;;]answer[;;hint]**", BOLD),
        ("{{[123;;]answer[;;hint]}}", CURLY),
        ("==answer==", HIGHLIGHT),
        (r"==answer==[^\[hint\]][\[^123\]]", HIGHLIGHT),
        (r"==answer==[\[^123\]]", HIGHLIGHT),
        (r"==answer==[\[^123\]][^\[hint\]]", HIGHLIGHT),
        ("{{[123::]answer[::hint]}}", ClozePattern("{{", "}}", "::")),
        ("<<answer[|hint]>>", ClozePattern("<<", ">>", "|")),
    ],
)
def test_a_cloze_pattern(plugin: Callable[[object], Path], pattern: str, read: ClozePattern) -> None:
    loaded = load(plugin({"clozePatterns": [pattern]}))
    assert (loaded.settings.cloze, loaded.problems) == ((read,), ())


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("__", "no such pattern: __"),
        ("answer==", "no such pattern: answer=="),
        ("==answer", "no such pattern: ==answer"),
        ("= =answer==", "no such pattern: = =answer=="),
        ("$answer$", "no such pattern: $answer$"),
        (r"<answer>[\x]", r"no such pattern: <answer>[\x]"),
        ("==[123|]answer[;;hint]==", "two different separators in ==[123|]answer[;;hint]=="),
    ],
)
def test_an_unknown_cloze_pattern(plugin: Callable[[object], Path], pattern: str, reason: str) -> None:
    loaded = load(plugin({"flashcardTags": ["#f"], "clozePatterns": [pattern]}))
    shown = json.dumps([pattern])
    message = f"clozePatterns: {shown} is not usable ({reason}); the setting is ignored"
    assert [problem.message for problem in loaded.problems] == [message]
    assert (loaded.settings.cloze, loaded.settings.deck_tags) == ((HIGHLIGHT,), ("f",))


@pytest.mark.parametrize(
    ("old", "cloze"),
    [
        ({"convertHighlightsToClozes": True}, (HIGHLIGHT,)),
        ({"convertHighlightsToClozes": False}, ()),
        ({"convertBoldTextToClozes": True}, (HIGHLIGHT, BOLD)),
        ({"convertHighlightsToClozes": False, "convertCurlyBracketsToClozes": True}, (CURLY,)),
        ({"convertHighlightsToClozes": False, "clozePatterns": ["**[123;;]answer[;;hint]**"]}, (BOLD,)),
        ({}, (HIGHLIGHT,)),
    ],
)
def test_plugin_files_from_before_the_patterns(
    plugin: Callable[[object], Path], old: object, cloze: tuple[ClozePattern, ...]
) -> None:
    loaded = load(plugin(old))
    assert (loaded.settings.cloze, loaded.problems) == (cloze, ())


@pytest.mark.parametrize(
    ("settings", "separators"),
    [
        ({"singlelineCardSeparator": "->->->", "singlelineReversedCardSeparator": "<->"}, ("->->->", "<->")),
        ({"singlelineCardSeparator": "->->->", "singleLineCardSeparator": ":="}, (":=", ":::")),
    ],
)
def test_plugin_files_from_before_its_keys_were_spelled_anew(
    plugin: Callable[[object], Path], settings: object, separators: tuple[str, str]
) -> None:
    loaded = load(plugin(settings))
    assert ((loaded.settings.inline, loaded.settings.inline_reversed), loaded.problems) == (separators, ())


def test_an_old_key_of_the_plugin_with_a_bad_value(plugin: Callable[[object], Path]) -> None:
    (problem,) = load(plugin({"flashcardTags": ["#f"], "singlelineCardSeparator": 5})).problems
    assert problem.message == "singleLineCardSeparator: 5 is not usable (not a text); the setting is ignored"
    text = Path(problem.place.path).read_text(encoding="utf-8")
    rest = text.split("\n")[problem.place.line - 1][problem.place.column - 1 :]
    assert rest.startswith('"singlelineCardSeparator"')


@pytest.mark.parametrize(
    ("tags", "read"),
    [(["", "#physics", ""], ("physics",)), ([""], ("",)), (["#physics", "#optics"], ("physics", "optics"))],
)
def test_blanks_in_the_plugins_list_of_tags_do_not_count_every_note(
    plugin: Callable[[object], Path], tags: list[str], read: tuple[str, ...]
) -> None:
    assert load(plugin({"flashcardTags": tags})).settings.deck_tags == read


def test_the_toml_beats_the_plugin_key_by_key(toml: Write, plugin: Callable[[object], Path]) -> None:
    plugin({"singleLineCardSeparator": ":=", "multilineCardSeparator": "—"})
    loaded = load(toml('[cards]\ninline = "->"'))
    assert (loaded.settings.inline, loaded.settings.multiline) == ("->", "—")


def test_a_bad_value_in_the_toml_lets_the_plugin_through(toml: Write, plugin: Callable[[object], Path]) -> None:
    plugin({"singleLineCardSeparator": ":="})
    loaded = load(toml("[cards]\ninline = 5"))
    assert loaded.settings.inline == ":="
    assert [str(problem) for problem in loaded.problems] == [
        f"{loaded.problems[0].place}: inline: 5 is not usable (not a text); the setting is ignored"
    ]


def test_many_folders_read_a_large_file_once(tmp_path: Path) -> None:
    path = tmp_path / PLUGIN_FILE
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"settings": {"multilineCardSeparator": "—"}, "more": ["x" * 30] * 200_000}), "utf-8")
    folders = [tmp_path / str(number) for number in range(300)]
    start = time.process_time()
    assert {load(folder).settings.multiline for folder in folders} == {"—"}
    assert time.process_time() - start < 5


def test_an_edited_file_is_read_again(toml: Write) -> None:
    assert load(toml('[cards]\ninline = "->"')).settings.inline == "->"
    assert load(toml('[cards]\ninline = "=>>"')).settings.inline == "=>>"


def test_the_nearest_file_upward_counts(toml: Write, plugin: Callable[[object], Path], tmp_path: Path) -> None:
    plugin({"multilineCardSeparator": "—"})
    toml('[cards]\ninline = "->"')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / FILE_NAME).write_text('[cards]\ninline = "=>"', encoding="utf-8")
    loaded = load(inner)
    assert (loaded.settings.inline, loaded.settings.multiline) == ("=>", "—")
    assert loaded.root == (tmp_path / "a").resolve()


def test_files_above_are_found_from_a_relative_folder(toml: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = toml("[cards]\ninline = 5")
    (folder / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(folder / "a")
    for relative in (Path("b"), Path(), Path("b/../b")):
        loaded = load(relative)
        assert loaded.root == folder.resolve()
        assert [problem.place.line for problem in loaded.problems] == [2]
    monkeypatch.chdir(folder)
    assert load(Path("a/b")).problems[0].place == Place(FILE_NAME, 2, 1)


def test_only_folders_above_count(toml: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    toml('[cards]\ninline = "->"').joinpath(FILE_NAME).rename(tmp_path / "a" / FILE_NAME)
    monkeypatch.chdir(tmp_path / "a")
    for beside in (Path("../b"), tmp_path / "b"):
        assert load(beside).root is None
        assert load(beside).settings == Settings()


def test_a_vault_without_settings_is_a_root(tmp_path: Path) -> None:
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    (tmp_path / "vault" / "notes").mkdir()
    assert load(tmp_path / "vault" / "notes").root == (tmp_path / "vault").resolve()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("inline = 5", "inline: 5 is not usable (not a text); the setting is ignored"),
        (
            'inline = "a`b"',
            'inline: "a`b" is not usable (a separator holds no line break, back-tick or $); the setting is ignored',
        ),
        (
            'multiline = "$"',
            'multiline: "$" is not usable (a separator holds no line break, back-tick or $); the setting is ignored',
        ),
        ('inline = "?"', 'inline: "?" is not usable (the same as multiline); the setting is ignored'),
        (
            "folders_as_decks = 1",
            "folders_as_decks: 1 is not usable (neither true nor false); the setting is ignored",
        ),
        ("deck_tags = [1]", "deck_tags: [1] is not usable (not a list of texts); the setting is ignored"),
        ("cloze = true", "cloze: true is not usable (not a list of texts); the setting is ignored"),
        (
            'fields = "loud"',
            'fields: "loud" is not usable (not one of dataview, quiet, card); the setting is ignored',
        ),
        ('comments = ""', 'comments: "" is not usable (not one of hide, text); the setting is ignored'),
        (
            'format = ["page"]',
            'format: ["page"] is not usable (not one of auto, markdown, page); the setting is ignored',
        ),
        ('derived = ["what"]', 'derived: ["what"] is not usable (no such kind: what); the setting is ignored'),
        ("derived = 1", "derived: 1 is not usable (not a list of texts); the setting is ignored"),
        (
            'labels = ["Trap"]',
            'labels: ["Trap"] is not usable (a label is written "Label=kind"); the setting is ignored',
        ),
        ('inlnie = "->"', 'inlnie: "->" is not usable (no such setting); the setting is ignored'),
        ("pages = 2031-01-01", 'pages: "2031-01-01" is not usable (not a list of texts); the setting is ignored'),
        (
            'labels = ["=note"]',
            'labels: ["=note"] is not usable (a label is written "Label=kind"); the setting is ignored',
        ),
        (
            f'format = "{"x" * 38}"',
            f'format: "{"x" * 38}" is not usable (not one of auto, markdown, page); the setting is ignored',
        ),
        (
            f'format = "{"x" * 39}"',
            f'format: "{"x" * 38}… is not usable (not one of auto, markdown, page); the setting is ignored',
        ),
        (
            f'format = "{"x" * 60}"',
            f'format: "{"x" * 38}… is not usable (not one of auto, markdown, page); the setting is ignored',
        ),
    ],
)
def test_a_bad_value_is_told_and_the_rest_holds(toml: Write, line: str, message: str) -> None:
    key = line.split(" = ")[0]
    folder = toml(f'[other]\n{key} = 1\n[cards] # {line}\nmultiline_end = "+++"\n  {line}\n')
    outside = f'other: {{"{key}": 1}} is not usable (only the table [cards] is read); the setting is ignored'
    told(folder, (1, 2, outside), (5, 3, message))
    assert load(folder).settings == Settings(multiline_end="+++")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("cards = {inline = 5}", 1, 10),
        ("\ncards.inline = 5", 2, 7),
        ('\n[cards]\n"inl\\u0069ne" = 5', 1, 1),
        ('cards."inline" = 5', 1, 7),
    ],
)
def test_the_place_of_a_key_in_other_notations(toml: Write, text: str, line: int, column: int) -> None:
    told(toml(text), (line, column, "inline: 5 is not usable (not a text); the setting is ignored"))


def test_two_equal_separators_leave_the_first(toml: Write) -> None:
    folder = toml('[cards]\ninline = "=>"\ninline_reversed = "=>"')
    told(folder, (3, 1, 'inline_reversed: "=>" is not usable (the same as inline); the setting is ignored'))
    assert (load(folder).settings.inline, load(folder).settings.inline_reversed) == ("=>", ":::")


def test_swapped_separators_are_not_equal(toml: Write) -> None:
    loaded = load(toml('[cards]\ninline = ":::"\ninline_reversed = "::"'))
    assert (loaded.settings.inline, loaded.settings.inline_reversed, loaded.problems) == (":::", "::", ())


def test_a_dropped_separator_may_not_clash_with_what_comes_back(toml: Write, plugin: Callable[[object], Path]) -> None:
    plugin({"singleLineReversedCardSeparator": ":::"})
    folder = toml('[cards]\ninline = ":::"\ninline_reversed = ":::"')
    assert load(folder).settings == Settings()
    assert [problem.message.split(":")[0] for problem in load(folder).problems] == [
        "singleLineReversedCardSeparator",
        "inline",
        "inline_reversed",
    ]


def test_several_separators_may_be_off(toml: Write) -> None:
    loaded = load(toml('[cards]\ninline = ""\ninline_reversed = ""'))
    assert (loaded.settings.inline, loaded.settings.inline_reversed, loaded.problems) == ("", "", ())


@pytest.mark.parametrize(
    ("text", "line", "column"), [("[cards]\ninline = \n", 2, 10), ("[cards\n", 1, 7), ('a = 1\na = "x"\n', 2, 8)]
)
def test_a_toml_that_cannot_be_parsed(toml: Write, text: str, line: int, column: int) -> None:
    loaded = load(toml(text))
    assert loaded.settings == Settings()
    (problem,) = loaded.problems
    assert (problem.place.line, problem.place.column, problem.code) == (line, column, "bad-setting")
    assert problem.message.startswith("mha-quiz.toml: the file is not usable (")
    assert problem.message.endswith("); the setting is ignored")


def test_what_stands_outside_the_table_is_told(toml: Write) -> None:
    text = 'inline = "->"\n\n[cards]\ninline = "=>"\n\n[quiz]\ncount = 5\n\n[[card]]\n\n["x y".z]\n'
    reason = "is not usable (only the table [cards] is read); the setting is ignored"
    folder = toml(text)
    told(
        folder,
        (1, 1, f'inline: "->" {reason}'),
        (6, 2, f'quiz: {{"count": 5}} {reason}'),
        (9, 3, f"card: [{{}}] {reason}"),
        (11, 2, f'x y: {{"z": {{}}}} {reason}'),
    )
    assert load(folder).settings.inline == "=>"


def test_cards_must_be_a_table(toml: Write) -> None:
    told(toml("cards = 1"), (1, 1, "mha-quiz.toml: the file is not usable (cards is no table); the setting is ignored"))


def test_a_settings_file_of_another_encoding(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes('[cards]\ninline = "→"'.encode("utf-16"))
    told(tmp_path, (1, 1, "mha-quiz.toml: the file is not usable (not UTF-8); the setting is ignored"))


def test_a_folder_in_place_of_the_settings_file(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    told(tmp_path, (1, 1, "mha-quiz.toml: the file is not usable (Is a directory); the setting is ignored"))


def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b'\xef\xbb\xbf[cards]\r\ninline = "->"\r\nmultiline = 1\r\n')
    told(tmp_path, (3, 1, "multiline: 1 is not usable (not a text); the setting is ignored"))
    assert load(tmp_path).settings.inline == "->"


@pytest.mark.parametrize(
    "text", ["{", "", "[" * 100_000, '{"settings": ' + "9" * 5000 + "}", "\ufffe", "[]", '{"settings": []}']
)
def test_a_plugin_file_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / PLUGIN_FILE
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    loaded = load(tmp_path)
    assert loaded.settings == Settings()
    (problem,) = loaded.problems
    assert (problem.code, problem.place.path) == ("bad-setting", str(path))
    assert problem.message.startswith("data.json: the file is not usable (")


def test_a_bad_value_of_the_plugin_has_its_line(plugin: Callable[[object], Path]) -> None:
    folder = plugin({"flashcardTags": ["#f"], "convertFoldersToDecks": "yes"})
    (problem,) = load(folder).problems
    assert problem.place == Place(str(folder / PLUGIN_FILE), 6, 5)
    assert problem.message == (
        'convertFoldersToDecks: "yes" is not usable (neither true nor false); the setting is ignored'
    )


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("Drawing.excalidraw.md", "**/*.excalidraw.md", True),
        ("a/b/Drawing.excalidraw.md", "**/*.excalidraw.md", True),
        ("a/b/Drawing.md", "**/*.excalidraw.md", False),
        ("Templates/x.md", "Templates", True),
        ("Templates/a/x.md", "Templates/", True),
        ("Templates/x.md", "./Templates", True),
        ("Templates2/x.md", "Templates", False),
        ("a/Templates/x.md", "Templates", False),
        ("a/Templates/x.md", "**/Templates/**", True),
        ("Templates/x.md", "**/Templates/**", True),
        ("daily/x.md", "daily/*.md", True),
        ("daily/deep/x.md", "daily/*.md", False),
        ("daily/deep/x.md", "daily/**/*.md", True),
        ("daily/x.md", "daily/**/*.md", True),
        ("a/2031.md", "a/20?1.md", True),
        ("notes [old]/x.md", "notes [old]", True),
        ("caf\u00e9/x.md", "cafe\u0301", True),
        ("x.md", "a/**", False),
        ("x.md", "a*/**/b", False),
        ("x.md", "", False),
        ("x.md", "/", False),
        ("x.md", "**", True),
        ("x.md", "X.md", False),
    ],
)
def test_paths_and_globs(path: str, pattern: str, fits: bool) -> None:
    assert path_matches(path, (pattern,)) is fits
    assert path_matches(path, ("no/such", pattern)) is fits


def test_no_pattern_fits_nothing() -> None:
    assert not path_matches("x.md", ())

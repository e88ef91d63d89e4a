"""Pasted pages: what counts as one, what its paragraphs become, and the map back."""

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards import pasted
from cards.pasted import Page
from cards.settings import Settings

DEFAULTS = Settings()
SEEDS = Path(__file__).parents[2] / "shared" / "seeds"


def convert(text: str, settings: Settings = DEFAULTS) -> Page:
    return pasted.convert(text, "page.txt", settings)


def markdown(text: str, settings: Settings = DEFAULTS) -> str:
    return convert(text, settings).markdown


def told(text: str) -> list[str]:
    return [str(problem) for problem in convert(text).problems]


# Page or note

PAGE = "Bees\n\n• They fly\n\nTip Keep calm\n"


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("", True),
        ("\n#flashcards/bees\n", True),
        ("\na :: b\n", True),
        ("\n#bees\n?\n==all==\n", True),
        ("\n---\n", True),
        ("\n## Bees\n", False),
        ("\n- bees\n", False),
        ("\n  * bees\n", False),
        ("\n1) bees\n", False),
        ("\n```\n", False),
        ("\n> bees\n", False),
        ("\n|---|---|\n", False),
        ("\n**bees**\n", False),
        ("\nmany [[bees]]\n", False),
        ("\nmany [bees](bees.html)\n", False),
        ("\n<!-- bees -->\n", False),
        ("\n<!--SR:!2031-02-03,4,270-->\n", True),
    ],
)
def test_one_markdown_sign_makes_a_note(extra: str, expected: bool) -> None:
    assert pasted.is_page(PAGE + extra, Settings()) is expected
    assert pasted.is_page((PAGE + extra).replace("\n", "\r\n"), Settings()) is expected


def test_front_matter_makes_a_note() -> None:
    assert not pasted.is_page(f"---\ntitle: Bees\n---\n{PAGE}", Settings())
    assert pasted.is_page(f"---\ntitle: Bees\n{PAGE}", Settings())


SIGNS = {
    "bullet": "text\n◦ a bee\n",
    "label": "Worked example Two bees\n",
    "breadcrumb": "Animals › Bees\n",
    "bare-tex": "n_{1} + n_{2}\n",
    "titles": "Bees\n\nThe Hive\n\nThe Queen\n\nThe Swarm\n",
}


@pytest.mark.parametrize("first", SIGNS)
@pytest.mark.parametrize("second", SIGNS)
def test_two_different_signs_make_a_page(first: str, second: str) -> None:
    assert pasted.is_page(f"{SIGNS[first]}\n{SIGNS[second]}", Settings()) is (first != second)


def test_the_remains_of_a_site_are_a_sign() -> None:
    for site in ("Wax[edit]", "ChatGPT said:"):
        assert pasted.is_page(f"{SIGNS['titles']}\n{site}\nMade in the hive.\n", Settings())
        assert not pasted.is_page(f"Bees\n\n{site}\nMade in the hive.\n", Settings())
    assert not pasted.is_page(f"{SIGNS['titles']}\nShare\n", Settings())


def test_what_is_no_sign() -> None:
    bullet = SIGNS["bullet"]
    assert pasted.is_page(f"Animals » Bees\n\n{bullet}", Settings())
    assert not pasted.is_page(f"bees fly\n\n{bullet}\n$n_{{1}}$\n", Settings())
    assert not pasted.is_page(f"bees fly\n\n{bullet}\nn_{{1}}\nn_{{2}}\n", Settings())


def test_settings_overrule() -> None:
    assert pasted.is_page("# Bees\n", Settings(format="page"))
    assert not pasted.is_page(PAGE, Settings(format="markdown"))
    assert pasted.is_page("• a bee\n\nField note Two bees\n", Settings(labels=(("Field note", "example"),)))
    assert not pasted.is_page("• a bee\n\nField note Two bees\n", Settings())


# Paragraphs


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("The Life of a Queen", "## The Life of a Queen"),
        ("What Do Bees Want?", "## What Do Bees Want?"),
        ("Swarms", "## Swarms"),
        ("The Hum of $n = 2$ Bees", "## The Hum of $n = 2$ Bees"),
        ("Step 2: Open the hive", "### Step 2: Open the hive"),
        ("Phase 2: Open the hive", "### Phase 2: Open the hive"),
        ("Misconception 1: All bees sting", "### Misconception 1: All bees sting"),
        ("Attention (Q, K)_{i}", r"$$\text{Attention} (Q, K)_{i}$$"),
        ("• The Hive", "- The Hive"),
        ("$a$ $b$", "$a$ $b$"),
        (" ".join(["Superwingeds"] * 7), " ".join(["Superwingeds"] * 7)),
        ("Sharp C#", "## Sharp C#"),
        ("Definition 2.1 (Bees). Let it be so.", "Definition 2.1 (Bees). Let it be so."),
        ("Tip Do :: it", "Tip Do :: it"),
        ("Issue #", r"## Issue \#"),
        ("Step 2: Open the hive.", "Step 2: Open the hive."),
        ("Step 2", "## Step 2"),
        ("Why do bees swarm?", "Why do bees swarm?"),
        ("The Queen Lays Eggs.", "The Queen Lays Eggs."),
        ("Two Bees: Honey", "Two Bees: Honey"),
        ("Bees = Honey", "Bees = Honey"),
        ("Honey Bees :: Apis", "Honey Bees :: Apis"),
        (
            "One Two Three Four Five Six Seven Eight Nine Ten Eleven",
            "One Two Three Four Five Six Seven Eight Nine Ten Eleven",
        ),
        ("#Bees #Honey", "#Bees #Honey"),
        ("#Bees <!-- all --> #Honey %%so%%", "#Bees <!-- all --> #Honey %%so%%"),
        ("# Bees", r"\# Bees"),
        ("> Bees", r"\> Bees"),
        ("-", r"\-"),
        ("1. Bees", "1. Bees"),
        ("1.", r"1\."),
        ("---", r"\---"),
        ("===", r"\==="),
        ("```", r"\```"),
        ("[bees]: see there", r"\[bees]: see there"),
        ("?", r"\?"),
        ("??", r"\??"),
        ("bees <b>hum</b> &amp; fly", r"bees \<b>hum\</b> &amp; fly".replace("&", r"\&")),
        ("2*3*4 and 2 * 3", r"2\*3\*4 and 2 \* 3"),
        ("a 5* hotel", "a 5* hotel"),
        ("call __init__ or my_bee_x", r"call \_\_init\_\_ or my_bee_x"),
        ("a <b> :: c*d*e", "a <b> :: c*d*e"),
        ("50 %% of bees %%", r"50 \%% of bees \%%"),
    ],
)
def test_one_line(line: str, expected: str) -> None:
    assert markdown(f"Bees\n\n{line}\n\nend of it.\n") == f"# Bees\n\n{expected}\n\nend of it.\n"


def test_a_run_of_lines_is_a_list_only_where_no_bullet_is_shown() -> None:
    assert markdown("Bees\n\nthey hum\nthey fly\n") == "# Bees\n\n- they hum\n- they fly\n"
    assert markdown("Bees\n\nthey hum\nthey fly\n\n• so\n") == "# Bees\n\nthey hum\nthey fly\n\n- so\n"
    assert markdown("Bees\n\nThe Hive\nThe Swarm\n\n• so\n") == "# Bees\n\nThe Hive\nThe Swarm\n\n- so\n"
    assert markdown("Bees\n\nthey hum\n- they fly\n- they sting\n") == "# Bees\n\nthey hum\n- they fly\n- they sting\n"


def test_the_last_items_of_numbered_lists_are_no_headings() -> None:
    lists = (
        "1. Find the bees\n\n2. Count the bees\n\nThen go on.\n\n1. Feed the bees\n\n2. Leave the bees\n\nAnd rest.\n"
    )
    assert markdown(f"Bees\n\n• x\n\n{lists}") == f"# Bees\n\n- x\n\n{lists}"


def test_lists_nest_by_bullet_and_by_indentation() -> None:
    page = "Bees\n\n• a\n◦ b\n▪ c\n◦ d\n• e\n\t• f\n• g\ngoes on\n"
    assert markdown(page) == "# Bees\n\n- a\n  - b\n    - c\n  - d\n- e\n  - f\n- g\n  goes on\n"
    assert markdown("Bees\n\n1. a\n10. b\n   - c\n") == "# Bees\n\n1. a\n10. b\n    - c\n"


def test_labels() -> None:
    page = (
        "Bees\n\nWorked example A Hive of\n\nm = 40\n\nHeavy.\n\nRecall 2 Things\n\nDefinition of the honey\n\n"
        'Warning "They sting"\n\nExample values\n\nField note $n$ bees\n'
    )
    assert markdown(page, Settings(labels=(("Field note", "note"),))) == (
        "# Bees\n\n> [!example] A Hive of $m = 40$\n> Heavy.\n\n> [!recall] 2 Things\n> Definition of the honey\n\n"
        '> [!warning] "They sting"\n> Example values\n\n> [!note] $n$ bees\n'
    )


def test_a_label_of_several_lines_is_none() -> None:
    assert markdown("Bees\n\nTip Keep calm\nthey hum\n") == "# Bees\n\n- Tip Keep calm\n- they hum\n"
    assert markdown("Bees\n\nTip Hives with\n") == "# Bees\n\n> [!tip] Hives with\n"


def test_a_question_mark_above_a_line_stays_as_typed() -> None:
    assert markdown("Bees\n\n• so\n\n?\nA bee\n") == "# Bees\n\n- so\n\n?\nA bee\n"


def test_a_list_is_no_formula_of_a_title() -> None:
    page = "Bees\n\nTip Hives with\n\nn_{1}\nn_{2}\n"
    assert markdown(page) == "# Bees\n\n> [!tip] Hives with\n> - n_{1}\n> - n_{2}\n"


def test_a_tag_line_or_a_heading_ends_a_box() -> None:
    assert markdown("Bees\n\nTip A\n\n#flashcards\n\na :: b\n") == "# Bees\n\n> [!tip] A\n\n#flashcards\n\na :: b\n"
    assert markdown("Bees\n\nTip A\n\nThe Hive\n\nx\n\ny.\n") == "# Bees\n\n> [!tip] A\n\n## The Hive\n\nx\n\ny.\n"


def test_connections_are_one_list() -> None:
    page = "Bees\n\n{}\n\n#flashcards\n"
    bullets = "Connections Wasps: cousins\n\n• Ants: too\n\n• Honey: food\n\nMore soon."
    assert markdown(page.format(bullets)) == (
        "# Bees\n\n## Connections\n\n- Wasps: cousins\n- Ants: too\n- Honey: food\n\nMore soon.\n\n#flashcards\n"
    )
    broken = "Connections Wasps: cousins\n\nMore soon.\n\n• Ants: too"
    assert markdown(page.format(broken)) == (
        "# Bees\n\n## Connections\n\n- Wasps: cousins\n\nMore soon.\n\n- Ants: too\n\n#flashcards\n"
    )
    glued = "Connections Wasps — cousins\nAnts — too\n\nHoney — food\n\nMore soon."
    assert markdown(page.format(glued)) == (
        "# Bees\n\n## Connections\n\n- Wasps — cousins\n- Ants — too\n- Honey — food\n\nMore soon.\n\n#flashcards\n"
    )
    bare = "Connections Wasps: cousins\n\nAnts: too\n\nHoney: food\nWax: walls\n\nMore soon."
    assert markdown(page.format(bare)) == (
        "# Bees\n\n## Connections\n\n- Wasps: cousins\n- Ants: too\n- Honey: food\n- Wax: walls\n\nMore soon.\n\n#flashcards\n"
    )


@pytest.mark.parametrize("first", ["a :: b", "#x", "n_{1}", "Tip Keep calm", "• so", "word " * 31])
def test_what_is_no_title(first: str) -> None:
    page = convert(f"{first}\n\nThey hum.\n")
    assert page.title == ""
    assert not page.markdown.startswith("# ")


def test_title_and_breadcrumb() -> None:
    page = convert("Animals › Insects\n\nBees and wasps\n\nOpen File › Print and wait.\n")
    assert page.markdown == "# Bees and wasps\n\nOpen File › Print and wait.\n"
    assert (page.title, page.breadcrumb) == ("Bees and wasps", "Animals › Insects")
    assert convert("• bees\n").title == ""
    for line in ("Press File › Print.", "Then look in the menu for the entry called Print › All", "Ants › Bees :: b"):
        assert convert(f"Bees\n\n{line}\n").breadcrumb == ""
    assert convert("#flashcards\n\nBees\n\na :: b\n").title == "Bees"
    assert markdown("Bees\nAnimals › Insects\nThey hum.\n") == "# Bees\n\nThey hum.\n"
    assert markdown("Il dit « oui » et part\n") == "# Il dit « oui » et part\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("1\n\nwarm it\n\n2\n\ncool it", "1. warm it\n2. cool it"),
        ("1\nwarm it\n2\ncool it", "1. warm it\n2. cool it"),
        ("1.\nwarm it\n\n2.\ncool it\n\nDone.", "1. warm it\n2. cool it\n\nDone."),
        ("1️⃣\n\nWarm It\n\n2️⃣\n\nCool It", "1. Warm It\n2. Cool It"),
        (
            "1\n\nWarm It\n\nslowly.\n\n2\n\nCool It\n\nfast.\n\nDone.",
            "1. Warm It\n\n   slowly.\n\n2. Cool It\n\n   fast.\n\nDone.",
        ),
        ("1\n\nwarm $v _{max}$\nslowly\n\n2\n\ncool it", "1. warm $v_{\\text{max}}$\n   slowly\n2. cool it"),
        ("2\n\nwarm it\n\n3\n\ncool it", "2\n\nwarm it\n\n3\n\ncool it"),
        ("1\n\n2\n\n3", "1\n\n2\n\n3"),
        ("1\n\nwarm it\n\nThe Hive\n\n2\n\ncool it", "1\n\nwarm it\n\n## The Hive\n\n2\n\ncool it"),
    ],
)
def test_steps_whose_numbers_stand_alone(lines: str, expected: str) -> None:
    assert markdown(f"Bees\n\n• so\n\n{lines}\n") == f"# Bees\n\n- so\n\n{expected}\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("Copy code\nls -l", "```\nls -l\n```"),
        (
            "python\nCopy code\n\nif x:\n    y()\n\nz = f.g(1)\n\nThen it ends.",
            "```python\nif x:\n    y()\n\nz = f.g(1)\n```\n\nThen it ends.",
        ),
        ("SQL\n\nCopy\n\nSELECT bee\nFROM hive", "```sql\nSELECT bee\nFROM hive\n```"),
        ("int x;\nstd::cout << x;", "```\nint x;\nstd::cout << x;\n```"),
        ("  def hum():\n    return 1", "```\ndef hum():\n  return 1\n```"),
        ("Copy code\nx = ```a```", "````\nx = ```a```\n````"),
        ("Copy code\n\nThe hive hums all day.", "Copy code\n\nThe hive hums all day."),
        ("Copy code\n\n- they hum", "Copy code\n\n- they hum"),
        ("Copy code\n\n#bees", "Copy code\n\n#bees"),
        ("Copy code\n\nThe Life Of Bees", "Copy code\n\n## The Life Of Bees"),
        ("Copy code\n\nTip They hum", "Copy code\n\n> [!tip] They hum"),
        ("Copy code\n\ncosts $5 a jar", "Copy code\n\ncosts $5 a jar"),
        ("they hum;\nthey fly;", "they hum;\nthey fly;"),
        ("C++ :: a language;\nint x; :: a declaration;", "C++ :: a language;\nint x; :: a declaration;"),
        ("go\n\nrun();\nhum();", "go\n\n```\nrun();\nhum();\n```"),
    ],
)
def test_code(lines: str, expected: str) -> None:
    assert markdown(f"Bees\n\n• so\n\n{lines}\n") == f"# Bees\n\n- so\n\n{expected}\n"


@pytest.mark.parametrize(
    "lines",
    [
        "# load the data\nimport numpy as np\nx = np.load('a.npy')",
        "const a = 1;\nfunction f(x) {\n  return x + a;\n}",
        '{\n  "name": "x",\n  "size": 3\n}',
        '<div class="a">\n  <p>Hi</p>\n</div>',
        "#include <vector>\nstd::vector<int> v;\nv.push_back(1);",
        ">>> x = 1\n>>> print(x)",
        'def f(x):\n    """Add one."""\n    return x + 1',
        "public class A {\n    int x = 0;\n}",
        "if (a > b) {\n    a = b;\n}\nelse {\n    b = a;\n}",
        "d[s] = 0\nwhile queue:\n    u = pop(queue)",
        "a = [1, 2]\nb = {}\nfor i in a:\n    b[i] = i",
        "model = nn.Linear(3, 4)\nloss = criterion(model(x), y)",
    ],
)
def test_bare_code(lines: str) -> None:
    assert markdown(f"Bees\n\n• so\n\n{lines}\n\nText.\n") == f"# Bees\n\n- so\n\n```\n{lines}\n```\n\nText.\n"


@pytest.mark.parametrize(
    "lines",
    [
        "Roses are red\n  violets are blue\nsugar is sweet",
        "if you want (really);\nthen go;",
        "Berlin (Germany)\nParis (France)",
        "$x = 3$\n$y = f(x)$",
        "Name: Anna;\nAge: 3;",
        "import taxes and goods\nexport taxes",
        "f(x) = x + 1\ng(x) = 2x",
        "for example:\nfor all:",
        "return to sender\nreturn to base",
        "while at rest:\nwhile moving:",
        "class struggle:\nclass war:",
        "x = np.load(a)\n" + "y = np.load(b) " * 30,
    ],
)
def test_no_code(lines: str) -> None:
    assert "```" not in markdown(f"Bees\n\n• so\n\n{lines}\n\nText.\n")


def test_a_place_in_code() -> None:
    page = convert("Bees\n\nCopy code\n\ndef hum():\n    return 1\n")
    assert page.left_out == (("Copy code", 3),)
    assert (page.original(5, 7), page.original(3, 1)) == ((6, 7), (5, 1))


@pytest.mark.parametrize(
    ("line", "expected", "left_out"),
    [
        ("The Hive[edit]", "## The Hive", (("[edit]", 3),)),
        ("Installation¶", "## Installation", (("¶", 3),)),
        ("See also", "## See also", ()),
        ("FAQ", "## FAQ", ()),
        ("they hum[edit]", "they hum[edit]", ()),
        ("[edit]", "[edit]", ()),
    ],
)
def test_headings_with_the_remains_of_a_link(line: str, expected: str, left_out: tuple[tuple[str, int], ...]) -> None:
    page = convert(f"Bees\n\n{line}\n\nText.\n")
    assert page.markdown == f"# Bees\n\n{expected}\n\nText.\n"
    assert page.left_out == left_out


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("The Hive[edit]\nbees live\nin it", "## The Hive\n\n- bees live\n- in it"),
        ("Kinds of bees\n• queens\n• drones", "## Kinds of bees\n\n- queens\n- drones"),
        ("Bees (a list)\n\uf0b7 queens\n\uf0b7 drones", "## Bees (a list)\n\n- queens\n- drones"),
        ("Friends of Old Hives\nwarm nights\nmuch rain", "## Friends of Old Hives\n\n- warm nights\n- much rain"),
        ("Friends of Old Hives\nwarm nights", "- Friends of Old Hives\n- warm nights"),
        ("See also\nOld Hive stories\nof bees\nof wasps", "## See also\n\n- Old Hive stories\n- of bees\n- of wasps"),
        ("Kinds of bee\nQueen: one\nDrone: many", "## Kinds of bee\n\n- Queen: one\n- Drone: many"),
        ("Kinds of hive\nThese are the kinds:\nwarm", "## Kinds of hive\n\n- These are the kinds:\n- warm"),
        ("There they live:\nhives\ntrees", "There they live:\n\n- hives\n- trees"),
        (
            "2.1 What they eat\nHoney.\n\n2.2 What they do\nHum.",
            "### 2.1 What they eat\n\nHoney.\n\n### 2.2 What they do\n\nHum.",
        ),
        ("Common mistake: all sting\nDrones do not.", "Common mistake: all sting\nDrones do not."),
        ("Who is there:\n• queens", "Who is there:\n- queens"),
        ("Flights\nday\tbees\nmonday\tten", "## Flights\n\n| day | bees |\n|---|---|\n| monday | ten |"),
        ("day\tbees\nmonday\tten\nThat was all.", "| day | bees |\n|---|---|\n| monday | ten |\n\nThat was all."),
        ("*\tnone or more\n?\tone at most", "| * | none or more |\n|---|---|\n| ? | one at most |"),
        (
            "hive\tbees\tnote\na\t10\t\nb\t\tempty\n\t20\tlost",
            "| hive | bees | note |\n|---|---|---|\n| a | 10 | |\n| b |  | empty |\n| | 20 | lost |",
        ),
        ("a\tb\nc\t\td", "- a\tb\n- c\t\td"),
        ("•\tqueens\n•\tdrones", "- queens\n- drones"),
        ("a\tb\nno cells", "- a\tb\n- no cells"),
        ("They hum.\nhow so\nSection titled “how so”\nBy wing.", "They hum.\n\n## how so\n\nBy wing."),
        ("Summary\nBees hum all day.", "## Summary\n\nBees hum all day."),
        ("Overview\nHoney\nWax", "- Overview\n- Honey\n- Wax"),
        (
            "Step 1: Open it\nSlowly.\nStep 2: Close it\nFast.",
            "### Step 1: Open it\n\nSlowly.\n\n### Step 2: Close it\n\nFast.",
        ),
        ("Mistake 1: All sting\nDrones do not.", "### Mistake 1: All sting\n\nDrones do not."),
        ("Step 1: Open it\nStep 2: Close it", "- Step 1: Open it\n- Step 2: Close it"),
        ("Who lives in a hive?\nqueens\ndrones", "Who lives in a hive?\n\n- queens\n- drones"),
        ("Who lives in a hive?\nWhere is it?", "- Who lives in a hive?\n- Where is it?"),
        (
            "Bees find their way home by the light of the sun and\nby what they remember.",
            "Bees find their way home by the light of the sun and\nby what they remember.",
        ),
        (
            "Bees find their way home by the light of the sun\nThey remember",
            "- Bees find their way home by the light of the sun\n- They remember",
        ),
        ("The Hive is warm\nand dark", "- The Hive is warm\n- and dark"),
    ],
)
def test_lines_that_stuck_together(lines: str, expected: str) -> None:
    assert markdown(f"Bees\n\n{lines}\n\nText of the end.\n") == f"# Bees\n\n{expected}\n\nText of the end.\n"


def test_an_ornament_makes_a_heading_of_a_question_on_any_page() -> None:
    titles = "The Big Hive\n\nText.\n\nThe Old Queen\n\nText.\n\nThe Last Swarm\n\nText."
    assert markdown(f"Bees\n\n{titles}\n\n🐝 Why do bees hum?\n\nTo say so.\n").endswith(
        "## 🐝 Why do bees hum?\n\nTo say so.\n"
    )


def test_a_worked_example_holds_its_steps() -> None:
    steps = "Step 1: Open it\n\nSlowly.\n\nStep 2: Close it\n\nFast."
    assert markdown(f"Bees\n\nWorked example A hive\n\n{steps}\n\nThe Wax\n\nText.\n") == (
        "# Bees\n\n> [!example] A hive\n> Step 1: Open it\n>\n> Slowly.\n>\n> Step 2: Close it\n>\n> Fast.\n\n"
        "## The Wax\n\nText.\n"
    )
    assert markdown("Bees\n\nTip A hive\n\nStep 1: Open it\n\nSlowly.\n") == (
        "# Bees\n\n> [!tip] A hive\n\n### Step 1: Open it\n\nSlowly.\n"
    )


@pytest.mark.parametrize(
    ("lines", "kept", "left_out"),
    [
        ("Share\nFacebook\nTwitter\n\nbees", "bees", ["Share", "Facebook", "Twitter"]),
        ("bees\n\nfacebook\n\nhum", "bees\n\nfacebook\n\nhum", []),
        ("Was this helpful?\nYes\nNo", "", ["Was this helpful?", "Yes", "No"]),
        ("Show answer\n\nYes", "Yes", ["Show answer"]),
        ("Article\nTalk\nView history\n\nbees", "bees", ["View history", "Talk", "Article"]),
        ("Dr. A. Bee · 9 min read · March", "", ["Dr. A. Bee · 9 min read · March"]),
        ("© 2024 The Hive. All rights reserved.", "", ["© 2024 The Hive. All rights reserved."]),
        ("0:00\nbees\n0:04\nhum\n1:00:09\nall day", "- bees\n- hum\n- all day", ["0:00", "0:04", "1:00:09"]),
        ("0:00\nbees\n0:04\nhum", "- 0:00\n- bees\n- 0:04\n- hum", []),
        ("a\nb\n1\n\nc\nd\n2\n\ne\nf\n3", "- a\n- b\n\n- c\n- d\n\n- e\n- f", ["1", "2", "3"]),
        ("Page 7\na\nb\n\nc\nPage 8 of 9\nd\n\nPage 9", "- a\n- b\n\n- c\n- d", ["Page 7", "Page 8 of 9", "Page 9"]),
        ("Medium Logo\nSearch\nWrite", "", ["Medium Logo", "Search", "Write"]),
        ("a\n1\n\nb\n3\n\nc\n4", "- a\n- 1\n\n- b\n- 3\n\n- c\n- 4", []),
        (
            "Published 3 May 2024 by A. Bee\n\nUpdated 2 days ago",
            "",
            ["Published 3 May 2024 by A. Bee", "Updated 2 days ago"],
        ),
        ("asked Mar 3, 2019 at 10:12\nViewed 12k times", "", ["asked Mar 3, 2019 at 10:12", "Viewed 12k times"]),
        (
            "Published in 1859 by J. Murray\nUpdated by 3 bees",
            "- Published in 1859 by J. Murray\n- Updated by 3 bees",
            [],
        ),
        (
            "On this page\nWhat do they do?\nwax\n\nWhat do they do?\n\nHum.\n\nwax\n\nbuilt",
            "What do they do?\n\nHum.\n\nwax\n\nbuilt",
            ["On this page", "What do they do?", "wax"],
        ),
        (
            "Contents\nhide\n1. Honey\n2. Wax\n\nHoney[edit]\n\nWax[edit]\n\nbuilt",
            "## Honey\n\n## Wax\n\nbuilt",
            ["Contents", "hide", "1. Honey", "2. Wax", "[edit]", "[edit]"],
        ),
        ("Contents\nhoney\nwax\n\nhoney", "- Contents\n- honey\n- wax\n\nhoney", []),
    ],
)
def test_what_stands_around_a_page(lines: str, kept: str, left_out: list[str]) -> None:
    page = convert(f"Bees\n\n{lines}\n")
    assert page.markdown == "# Bees\n" + (f"\n{kept}\n" if kept else "")
    assert sorted(text for text, _ in page.left_out) == sorted(left_out)


def test_buttons_among_flashcards() -> None:
    page = convert(
        "Bees\n\nThe Hive\n\n#flashcards\n\nWhat keeps a file?\n\nSave\n\nWhat hums?\nShow answer\nA bee.\n\nShare\n\n"
        "What do you press?\n\nReveal answer\n\nLoad\nSave\n\n"
        "Was this page helpful?\nYes\nNo\n\nUpdated 3 May 2024\n"
    )
    assert page.markdown.partition("#flashcards\n\n")[2] == (
        "What keeps a file? :: Save\n\nWhat hums? :: A bee.\n\nWhat do you press?\n?\n- Load\n- Save\n"
    )
    buttons = ["Show answer", "Share", "Reveal answer", "Was this page helpful?", "Yes", "No", "Updated 3 May 2024"]
    assert [text for text, _ in page.left_out] == buttons


def test_times_and_page_numbers_are_told_together() -> None:
    page = "Bees\n\n0:00\nthey hum\n0:04\nand fly\n0:09\nall day\n"
    assert pasted.tidy(page, "x.txt", Settings()).notices == (
        "x.txt:3: 3 times or page numbers were left out, the first of them here",
        "x.txt: put back 1 heading, 1 list",
    )


def test_a_title_below_what_a_site_shows() -> None:
    assert (
        convert("You said:\ntell me of bees\n\nChatGPT said:\nThey hum.\n").markdown
        == "# tell me of bees\n\nThey hum.\n"
    )
    menu = "Home\nHives\nHoney\nAbout us"
    page = convert(f"{menu}\n\nBees of the north\n\nThey hum.\n")
    assert page.title == "Bees of the north"
    assert page.markdown.endswith("- About us\n\n# Bees of the north\n\nThey hum.\n")
    assert convert("Bees\nby Ann\n2024\n\nThey hum.\n").title == "Bees"
    assert convert("Medium Logo\nSearch\n\nBees\n\nThey hum.\n").title == "Bees"
    assert markdown("CHAPTER 5\nOld bees\n\nThey hum.\n") == "## CHAPTER 5\n\n# Old bees\n\nThey hum.\n"


def test_a_tag_at_the_top_leaves_the_text_of_a_page_as_it_is() -> None:
    text = "Tip Keep calm\n\nWhy do they hum? They like it.\n\nWhat do they eat?\n\nHoney."
    below = "> [!tip] Keep calm\n> Why do they hum? They like it.\n\nWhat do they eat?\n\nHoney.\n"
    assert markdown(f"#flashcards\n\nBees\n\n{text}\n") == f"#flashcards\n\n# Bees\n\n{below}"
    text = "what do they eat?\n\nHoney.\n\nHoney is sweet.\n\nwhere is it?\n\nIn a hive."
    assert markdown(f"#flashcards\n\nBees\n\n{text}\n") == f"#flashcards\n\n# Bees\n\n{text}\n"
    assert " :: " in markdown(f"Bees\n\nThe Hive\n\n#flashcards\n\n{text}\n")
    assert markdown("#flashcards\n\nBees\n\nShare\n\nThey hum.\n") == "#flashcards\n\n# Bees\n\nThey hum.\n"


def test_nothing_is_escaped_in_code() -> None:
    assert markdown("Bees\n\nuse `*a` or *b* and `x_` so\n") == "# Bees\n\nuse `*a` or \\*b\\* and `x_` so\n"


def test_a_table_without_header() -> None:
    assert (
        markdown("Bees\n\n1947\tone\n1949\ttwo\n") == "# Bees\n\n|   |   |\n|---|---|\n| 1947 | one |\n| 1949 | two |\n"
    )
    assert markdown("Bees\n\nMay 1947\tone\nMay 1949\ttwo\n").startswith("# Bees\n\n|   |   |\n|---|---|\n| May 1947 |")
    assert markdown("Bees\n\nYear\tone\n1949\ttwo\n") == "# Bees\n\n| Year | one |\n|---|---|\n| 1949 | two |\n"


def test_lines_with_keys_are_a_list() -> None:
    page = "Bees\n\n• so\n\n{}\n"
    assert markdown(page.format("Queen: one\n$n$ : workers")) == "# Bees\n\n- so\n\n- Queen: one\n- $n$ : workers\n"
    for lines in ("Queen: one\nno key here", "queen: one\nworker: two", "Queen: one :: two\nWorker: b"):
        assert markdown(page.format(lines)) == f"# Bees\n\n- so\n\n{lines}\n"


def test_questions_and_answers_above_the_tag() -> None:
    page = convert("Bees\n\nQ: What hums?\nA: a bee\n\nThe Hive\n\nQ: Open?\n\nText.\n\n#flashcards\n\na :: b\n")
    assert page.markdown == (
        "# Bees\n\nWhat hums? :: a bee\n\n## The Hive\n\nQ: Open?\n\nText.\n\n#flashcards\n\na :: b\n"
    )
    assert page.reconstructed == {3}
    glued = "Bees\n\nFAQ\nQ1. What hums?\nAns. a bee\nQ2. What flies?\nAns. a drone\n"
    assert markdown(glued) == "# Bees\n\n## FAQ\n\nWhat hums? :: a bee\n\nWhat flies? :: a drone\n"


# Formulas and highlights


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("is $v _{max} ^{2}$ so", r"is $v_{\text{max}}^{2}$ so"),
        ("is $a∣b ≫ c ≪d$ so", r"is $a\mid b \gg c \ll d$ so"),
        (r"is $\text{max v} + \max x + \mathrm{abc}$ so", r"is $\text{max v} + \max x + \mathrm{abc}$ so"),
        ("is $speed of light + ab$ so", r"is $\text{speed of light} + ab$ so"),
        (r"is $\begin{array}{lcr} a \end{array}$ so", r"is $\begin{array}{lcr} a \end{array}$ so"),
        (
            r"is $\text{open speed$ so",
            r"is $\text{\text{open} \text{speed}$ so".replace(r"\text{open} \text{speed}", r"\text{open speed}"),
        ),
        ("is $$wide _1$$ so", r"is $$\text{wide}_1$$ so"),
        (r"so {\displaystyle n_{b}} and {\displaystyle m} bees", "so $n_{b}$ and $m$ bees"),
        (r"{\displaystyle n_{b}=m,}", "$$n_{b}=m,$$"),
        (r"so {\displaystyle n} and {\displaystyle m", r"so $n$ and {\displaystyle m"),
        (r"so {\displaystyle } bees", r"so {\displaystyle } bees"),
        ("costs $4 and $9.50 or US$ abc", "costs $4 and $9.50 or US$ abc"),
        (r"costs \$abc and \$abc", r"costs \$abc and \$abc"),
        ("$a = b$", "$$a = b$$"),
        (r"\frac{a}{b}", r"$$\frac{a}{b}$$"),
        ("so $2 + 2 ==4==$ bees", "so $2 + 2 =$ ==$4$== bees"),
        ("so $2 + 2 ==$ 4==$ bees", "so $2 + 2 =$ ==$4$== bees"),
        ("so $n ===4==$ bees", "so $n =$ ==$4$== bees"),
        (r"so $n \leq ==m _{max}==$ bees", r"so $n \leq$ ==$m_{\text{max}}$== bees"),
        ("so $a ==b + c$ bees", "so $a ==b + c$ bees"),
        ("so $==m==$ bees", "so ==$m$== bees"),
        ("so $a == b$ and ==$c$== bees", "so $a == b$ and ==$c$== bees"),
        ("so $2 + 2 ==$ 4 == $ bees", "so $2 + 2 =$ ==$4$== bees"),
        ("so $2 + 2 ==$4$==$ bees", "so $2 + 2 =$ ==$4$== bees"),
        ("so == $m$ ==, bees", "so ==$m$==, bees"),
        ("so == $m$ ==bees", "so == $m$ ==bees"),
        ("so x== $m$ == bees", "so x== $m$ == bees"),
        ("so $2^n + 1 ==$2^n$== bees", "so $2^n + 1 =$ ==$2^n$== bees"),
        ("costs $5 ==$m$== a bee", "costs $5 ==$m$== a bee"),
        ("so $a ==$b==$, ==$c$== bees", "so $a =$ ==$b$==, ==$c$== bees"),
        ("from $5 ==net== $6 on", "from $5 ==net== $6 on"),
        ("if a == $m$ and $n$ == b", "if a == $m$ and $n$ == b"),
        ("so $V = I R V = IR$ bees", "so $V = I R$ bees"),
        ("so $E=mc2E = mc^{2}E=mc2$ bees", "so $E = mc^{2}$ bees"),
        ("E=mc2E = mc^2", "$$E = mc^2$$"),
        (r"so $\sin x \sin x$ bees", r"so $\sin x \sin x$ bees"),
        ("so $a_1 a_1 = b$ and $xyxy$ bees", r"so $a_1 a_1 = b$ and $\text{xyxy}$ bees"),
    ],
)
def test_formulas(line: str, expected: str) -> None:
    assert markdown(f"Bees\n\n{line}\n") == f"# Bees\n\n{expected}\n"


def test_a_formula_over_several_lines_stays_one() -> None:
    assert markdown("Bees\n\n$$\nv _{max}\n$$\n") == "# Bees\n\n$$\nv_{\\text{max}}\n$$\n"
    for lines in ("$$a$$ and\nthen $$b$$", "$$\na bee", "a bee\n$$"):
        listed = "".join(f"- {line}\n" for line in lines.split("\n"))
        assert markdown(f"Bees\n\n{lines}\n") == f"# Bees\n\n{listed}"


def test_formulas_of_an_encyclopedia_part_their_sentence() -> None:
    lines = "Bees are counted as\n{\\displaystyle n=m}\nwhere\n{\\displaystyle m} is large"
    assert markdown(f"Bees\n\n{lines}\n") == ("# Bees\n\nBees are counted as\n\n$$n=m$$\n\nwhere\n$m$ is large\n")


def test_a_mended_highlight_is_told() -> None:
    page = convert("Bees\n\n• So $2 + 2 ==4==$\n• and $1 + 1 ==$ 2==$ legs\n\nso $1 ==1==$ :: b\n")
    message = "a highlight was broken by its formula and was put together again; please check it"
    assert [(p.place.line, p.place.column, p.code) for p in page.problems] == [
        (3, 13, "reconstructed"),
        (4, 14, "reconstructed"),
        (6, 7, "reconstructed"),
    ]
    assert {p.message for p in page.problems} == {message}
    assert page.reconstructed == {3, 4}


@pytest.mark.parametrize(
    ("below", "line"),
    [
        ("they\nand $1 ==1==$ leg", 4),
        ("• x\n\nthey\nand $1 ==1==$ leg\nhum", 5),
        ("• x\n\nthey\n• fly\non $1 ==1==$ leg\nhum", 6),
        ("• x\n\na :: b\nor $1 ==1==$ leg\nhum", 6),
    ],
)
def test_where_a_mended_cloze_begins(below: str, line: int) -> None:
    assert convert(f"Bees\n\n{below}\n").reconstructed == {line}


# Cards whose separator was lost


def cards(below: str, settings: Settings = DEFAULTS) -> str:
    """What becomes of the lines below a deck tag, one paragraph a line."""
    top = "Bees\n\nThe Hive\n\nText.\n\n#flashcards\n\n"
    written = markdown(top + below.replace("\n", "\n\n"), settings)
    head, _, rest = written.partition("#flashcards\n")
    assert head == "# Bees\n\n## The Hive\n\nText.\n\n"
    return rest.strip("\n").replace("\n\n", "\n")


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ("What hums?\nA bee.", "What hums? :: A bee."),
        # a question begins: below a sentence, below text, with a capital below mathematics, with a question word
        (
            "What hums?\nA bee.\nn_{1}\nbees or more hum?\nYes.",
            "What hums? :: A bee.\n$n_{1}$ bees or more hum? :: Yes.",
        ),
        ("What hums?\nA bee\nWhat stings?\nA wasp", "What hums? :: A bee\nWhat stings? :: A wasp"),
        ("How many?\nn_{1}\nBees sting?\nYes.", "How many? :: $n_{1}$\nBees sting? :: Yes."),
        ("How many?\nn_{1}\nWhat does\nn_{2}\nmean?\nTwo.", "How many? :: $n_{1}$\nWhat does $n_{2}$ mean? :: Two."),
        ("a :: b\nn_{1}\nmeans what?\nOne.", "a :: b\n$n_{1}$ means what? :: One."),
        ("n_{1}\nmeans what?\nOne", "$n_{1}$ means what? :: One"),
        ("Which\nn_{1}\nof\nn_{2}\nare bees?\nall", "Which $n_{1}$ of $n_{2}$ are bees? :: all"),
        ("How many?\nn_{1}\nn_{2}\nmeans what?\nTwo.", "How many? :: $n_{1}$\n$n_{2}$ means what? :: Two."),
        # a question leaves an answer to the one above
        ("Who?\nBees\nn_{1}\nkilo kab?\nAb.", "Who? :: Bees\n$n_{1}$ kilo kab? :: Ab."),
        ("Who?\nBees hum?\nYes.", "Who?\nBees hum? :: Yes."),
        ("a :: b?\nHoney ke\nn_{1}\nkilo kab?\nAb.", "a :: b?\nHoney ke $n_{1}$ kilo kab? :: Ab."),
        ("Who?\nn_{1}\nkilo kab?\nAb.", "Who?\n$n_{1}$ kilo kab? :: Ab."),
        ("Who?\nWhat is\nn_{1}\n?\nOne.", "Who?\nWhat is $n_{1}$? :: One."),
        # question marks
        ('The owl asks "who?"\nTu whit.', 'The owl asks "who?" :: Tu whit.'),
        ('What is it?\nWho asks "who?"\nIt.', 'What is it?\nWho asks "who?" :: It.'),
        ('Who asks "who?"\nAn owl.', 'Who asks "who?" :: An owl.'),
        ('What does it say?\nIt asks "who?"\nWho asks?\nIt.', 'What does it say? :: It asks "who?"\nWho asks? :: It.'),
        ("What is\nn_{1}\n?\nOne\n, or more.", "What is $n_{1}$? :: One, or more."),
        ("Is it n > 0?\nYes.", "Is it n > 0? :: Yes."),
        # borders
        ("Just text.\nWhat hums?\nA bee.\na :: b\nmore", "Just text.\nWhat hums? :: A bee.\na :: b\nmore"),
        ("More About Bees\nWhat is\nn_{1}\n?\nOne.", "## More About Bees\nWhat is $n_{1}$? :: One."),
        ("Honey ke\nn_{1}\nkilo kab?\nAb.", "Honey ke $n_{1}$ kilo kab? :: Ab."),
        ("What hums?\nA bee.\nConcept Map\nWhy so?\nText.", "What hums? :: A bee.\n## Concept Map\nWhy so?\nText."),
        ("a :: b?\nmore.\nWho?\nI.", "a :: b?\nmore.\nWho? :: I."),
        ("a :: b\nConcept Map\ntext", "a :: b\n## Concept Map\ntext"),
        ("a :: b\nConcept Map\n$n$\ntext", "a :: b\n## Concept Map\n$$n$$\ntext"),
        ("a :: b?\nConcept Map\ntext", "a :: b?\n## Concept Map\ntext"),
        ("a :: b\nThe \\Theta Rule\ntext", "a :: b\nThe \\Theta Rule\ntext"),
        ("a :: b\nNeed More Help?\nAsk.", "a :: b\nNeed More Help? :: Ask."),
        ("What hums?\nA bee.\nConnections\ntext", "What hums? :: A bee.\n## Connections\ntext"),
        ("What hums?\nA bee\nWasps", "What hums? :: A bee Wasps"),
        (
            "How many?\nn_{1}\n(or less)\nh\nheads kab hain?\nAb.",
            "How many? :: $n_{1}$ (or less)\n$h$ heads kab hain? :: Ab.",
        ),
        ("When is the work zero?\ncosθ = 0", "When is the work zero? :: $\\text{cos}θ = 0$"),
        ("Which law?\nF = m a\n1 newton kitna hai?\nAb.", "Which law? :: $F = m a$\n1 newton kitna hai? :: Ab."),
        ("a :: b\nWhy Bees Hum\ntext", "a :: b\nWhy Bees Hum\ntext"),
        ("What hums?\nHoney Bees\nWhat stings?\nWasps", "What hums? :: Honey Bees\nWhat stings? :: Wasps"),
        ("How many?\nn_{1}\nConcept Map\ntext", "How many? :: $n_{1}$\n## Concept Map\ntext"),
        ("How many?\nn_{1}\nConcept Map\nWhy?\nSo.", "How many? :: $n_{1}$ Concept Map\nWhy? :: So."),
        ("What hums?\nA bee.\nTip Keep calm\nWhy?\nSo.", "What hums? :: A bee.\n> [!tip] Keep calm\n> Why?\n>\n> So."),
        # nothing opens on one side and closes on the other
        ("Is ` a tick?\nSo is `.", r"Is \` a tick? :: So is \`."),
        ("Is `a` code?\nSo is ``b`` and `.", r"Is `a` code? :: So is ``b`` and \`."),
        ("Is 4$ much?\nNot 4$.", r"Is 4\$ much? :: Not 4\$."),
        ("Is a ==b?\nc== and ==d==.", r"Is a \==b? :: c\== and \==d\==."),
        ("Is ==a== so?\nYes.", "Is ==a== so? :: Yes."),
        (r"Is \( open?" + "\n" + r"\) closes.", r"Is \\( open? :: \) closes."),
        # only a line is opened by a list mark or a quote mark
        ("• Which?\n• That.", "Which? :: That."),
        ("Who?\n> me.", "Who? :: > me."),
        ("> who?\nMe.", r"\> who? :: Me."),
        # formulas
        ("Is it\n.5 m\n?\nYes.", "Is it $.5 m$? :: Yes."),
        ("What is $E$?\n$m v^2 / 2$", "What is $E$? :: $m v^2 / 2$"),
        ("What is\nmax _{i}\nhere?\n3, 4\nor\nx'", r"What is $\text{max}_{i}$ here? :: $3, 4$ or $x'$"),
        ("How long?\n10 m :\n2 h", "How long? :: 10 m : $2 h$"),
        ("What hums?\nn_{1} :: n_{2}\nAll.", "What hums?\nn_{1} :: n_{2}\nAll."),
    ],
)
def test_lost_cards(below: str, expected: str) -> None:
    assert cards(below) == expected


def test_question_and_answer_in_one_paragraph() -> None:
    page = "Bees\n\nThe Hive\n\n#flashcards\n\nWhat hums?\nA bee.\n\nWhich bees fly?\n• workers\n• drones\n"
    written = markdown(page).partition("#flashcards\n\n")[2]
    assert written == "What hums? :: A bee.\n\nWhich bees fly?\n?\n- workers\n- drones\n"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            "What hums here?\nA bee.\nWhat is wax for?\nwalls\nroofs",
            ["What hums here? :: A bee.", "What is wax for?\n?\n- walls\n- roofs"],
        ),
        ("What do they ask?\nWho is it?\nWhere is home?", ["What do they ask?", "- Who is it?\n- Where is home?"]),
        ("What do bees do?\nfly\nask why?\nhum", ["What do bees do?\n?\n- fly\n- ask why?\n- hum"]),
        ("What hums here?\nA bee.\nWhat flies here?", ["What hums here? :: A bee.", "What flies here?"]),
    ],
)
def test_questions_and_answers_in_one_paragraph(lines: str, expected: list[str]) -> None:
    written = markdown(f"Bees\n\nThe Hive\n\n#flashcards\n\n{lines}\n").partition("#flashcards\n\n")[2]
    assert written.rstrip("\n").split("\n\n") == expected


def test_an_answer_with_a_list_in_its_middle() -> None:
    page = "Bees\n\nThe Hive\n\n#flashcards\n\nWhich?\n\nThese:\n\nqueens\ndrones\n\nNo more.\n"
    written = markdown(page).partition("#flashcards\n\n")[2]
    assert written == "- Which?\n  ?\n  These:\n  - queens\n  - drones\n\n  No more.\n"


def test_fragments_of_several_lines() -> None:
    top = "Bees\n\nThe Hive\n\n#flashcards\n\n"

    def below(text: str) -> str:
        return markdown(top + text).partition("#flashcards\n\n")[2]

    assert below("Which?\n\nn_{1}\nn_{2}\n\nm_{1}\n\nis what?\n\nOne.\n") == (
        "Which?\n?\n- n_{1}\n- n_{2}\n\n$m_{1}$ is what? :: One.\n"
    )
    assert below("Which?\n\n• is it this?\n• or that?\n") == "Which?\n?\n- is it this?\n- or that?\n"
    assert below("Which?\n\nn_{1}\nn_{2}\n\nbees or what?\n\nWasps\n") == (
        "Which?\n?\n- n_{1}\n- n_{2}\n\nbees or what? :: Wasps\n"
    )
    assert below("a :: b\n\nTip Keep calm\nthey hum\n\nwhy?\n\nSo.\n") == (
        "a :: b\n\n- Tip Keep calm\n- they hum\n\nwhy? :: So.\n"
    )
    assert below("• a\n\nWhich?\n\nThis\nand that.\n") == "- a\n\nWhich? :: This and that.\n"
    assert below("Which?\n\n• That.\n\n1. Who?\n\n2. I.\n") == "Which? :: That.\n\n1\\. Who? :: 2. I.\n"
    assert below("• Which?\n• That.\n\nWho?\n\nI.\n") == "- Which?\n- That.\n\nWho? :: I.\n"
    assert below("a :: b\n\nConcept Map\nConcept Tree\n") == "a :: b\n\n- Concept Map\n- Concept Tree\n"


def test_separators_of_the_author_are_used_and_kept() -> None:
    below = "a := b\nWhat hums?\nA bee."
    assert cards(below, Settings(inline=":=")) == "a := b\nWhat hums? := A bee."
    assert markdown("Bees\n\nHoney Bees -> Wax\n", Settings(inline="->")) == "# Bees\n\nHoney Bees -> Wax\n"
    assert cards("What hums?\nA bee.", Settings(inline="", inline_reversed="")) == "What hums?\n?\nA bee."
    off = Settings(inline="", inline_reversed="", multiline="", multiline_reversed="")
    assert cards("What hums?\nA bee.", off) == "What hums?\nA bee."
    page = "Bees\n\nThe Hive\n\n#flashcards\n\nWhat hums?\n\nA bee.\n"
    assert (convert(page, off).problems, convert(page, off).reconstructed) == ((), set())
    (problem,) = convert(page, Settings(inline="")).problems
    assert problem.message.startswith('1 card lost its "?" here')
    one_line = markdown("Bees\n\nThe Hive\n\n#flashcards\n\nWhich?\n\nred\nblue\n", Settings(multiline=""))
    assert one_line.endswith("\n\nWhich? :: red blue\n")
    listed = "Bees\n\nThe Hive\n\n#flashcards\n\nWhich?\n\nqueens\ndrones\n"
    ended = markdown(listed, Settings(multiline_end="+++")).partition("#flashcards\n\n")[2]
    assert ended == "Which?\n?\n- queens\n- drones\n+++\n"


def test_multi_line_cards_of_the_author_stay_as_typed() -> None:
    page = "Bees\n\nThe Hive\n\n#flashcards\n\nWhat hums?\n?\nA bee.\n\nQ\n??\nA\n"
    assert convert(page).markdown.endswith("\n\nWhat hums?\n?\nA bee.\n\nQ\n??\nA\n")
    assert convert(page).problems == ()


def test_a_tag_at_the_top_makes_no_cards_of_the_text() -> None:
    page = "Bees\n\n#flashcards\n\nWhat Do Bees Want?\n\nHoney.\n\nWhere Is It?\n\nIn a hive.\n\na :: b\n"
    assert markdown(page) == (
        "# Bees\n\n#flashcards\n\n## What Do Bees Want?\n\nHoney.\n\n## Where Is It?\n\nIn a hive.\n\na :: b\n"
    )
    assert markdown(page.replace("#flash", "#Honey\n\n#flash")) == markdown(page).replace("#flash", "#Honey\n\n#flash")


def test_a_page_of_nothing_but_cards() -> None:
    page = (
        "Bees\n\n#flashcards\n\nwhat hums?\n\nHoney Bees\n\nwhat stings?\n\nWasps do.\n\nMore Insects\n\nwhy?\n\nSo.\n"
    )
    assert markdown(page) == (
        "# Bees\n\n#flashcards\n\nwhat hums? :: Honey Bees\n\nwhat stings? :: Wasps do.\n\n## More Insects\n\nwhy?\n\nSo.\n"
    )


def test_title_and_tags_in_any_order() -> None:
    cards_below = "what hums?\n\nA bee.\n"
    assert markdown(f"• bees\n\n#flashcards\n\n{cards_below}") == "- bees\n\n#flashcards\n\nwhat hums? :: A bee.\n"
    assert markdown(f"#flashcards\n\nBees and wasps\n\n{cards_below}") == (
        "#flashcards\n\n# Bees and wasps\n\nwhat hums? :: A bee.\n"
    )
    below_headings = f"Bees\n\nThe Hive\n\n#flashcards/a\n\n#flashcards/b\n\nMore Insects\n\n{cards_below}"
    assert markdown(below_headings).endswith("## More Insects\n\nwhat hums? :: A bee.\n")
    assert markdown(below_headings.replace("The Hive\n\n", "")).endswith("## More Insects\n\nwhat hums?\n\nA bee.\n")


def test_a_breadcrumb_is_no_heading() -> None:
    page = "Bees\n\nAnimals › Insects\n\n#flashcards\n\nWhere Is It?\n\nIn a hive.\n"
    assert markdown(page) == "# Bees\n\n#flashcards\n\n## Where Is It?\n\nIn a hive.\n"
    assert not pasted.is_page("Animals › Insects\n\nThe Hive\n\nThe Queen\n", Settings())


def test_each_tag_line_opens_an_area() -> None:
    page = "Bees\n\nThe Hive\n\n#flashcards/a #x\n\nWhat hums?\n\nA bee.\n\n#flashcards/b\nWhat stings?\n\nA wasp.\n"
    page += "\n#other\n\nthis?\n\nNo.\n"
    assert convert(page).markdown.partition("#")[2].partition("\n\n#")[2] == (
        "# The Hive\n\n#flashcards/a #x\n\nWhat hums? :: A bee.\n\n#flashcards/b\n\nWhat stings? :: A wasp. #other\n\n"
        "this? :: No.\n"
    )
    assert convert(page).tags == ("flashcards/a",)
    assert convert(page.partition("#flashcards/b")[0]).tags == ("flashcards/a", "x")


def test_a_tag_in_a_sentence_or_a_comment_opens_no_area() -> None:
    page = "Bees\n\nThe Hive\n\nMore in #flashcards here\n\nWhy?\n\nSo.\n"
    assert markdown(page) == "# Bees\n\n## The Hive\n\nMore in #flashcards here\n\nWhy?\n\nSo.\n"
    assert markdown("Bees\n\nThe Hive\n\n%% #flashcards %%\n\nWhy?\n\nSo.\n").endswith("%%\n\nWhy?\n\nSo.\n")
    assert cards("%% #x %%\nWhy?\nSo.") == r"\%% #x \%%" + "\nWhy? :: So."


def test_what_is_told_about_lost_cards() -> None:
    top = "Bees\n\nThe Hive\n\n#flashcards\n\n"
    page = convert(top + "What hums?\n\nA bee.\n\nWhat stings?\n\nA wasp\n\na :: b\n\nWhy?\n\nWho?\n\nMe.\n\nWhen?\n")
    again = "here and were put together again (lines"
    assert [str(problem) for problem in page.problems] == [
        f'page.txt:7:1: 2 cards lost their "::" {again} 7–13); please check them',
        "page.txt:17:1: looks like a card but was not read: a question without an answer",
        'page.txt:19:1: 1 card lost its "::" here and was put together again (lines 19–21); please check it',
        "page.txt:23:1: looks like a card but was not read: a question without an answer",
    ]
    assert [page.markdown.split("\n")[line - 1] for line in sorted(page.reconstructed)] == [
        "What hums? :: A bee.",
        "What stings? :: A wasp",
        "Who? :: Me.",
    ]


# The map


def test_places_of_a_joined_card() -> None:
    page = convert("Bees\n\nThe Hive\n\n#flashcards\n\nHow many\n\n d _{max}\n\nare there?\n\nTwo.\n")
    line = page.markdown.split("\n").index(r"How many $d_{\text{max}}$ are there? :: Two.") + 1
    text = page.markdown.split("\n")[line - 1]
    places = {
        part: page.original(line, text.index(part) + 1)
        for part in ("How", "many", "d_", "_{", "max", "}}", "are", "::", "Two")
    }
    assert places == {
        "How": (7, 1),
        "many": (7, 5),
        "d_": (9, 2),
        "_{": (9, 4),
        "max": (9, 6),
        "}}": (9, 9),
        "are": (11, 1),
        "::": (13, 1),
        "Two": (13, 1),
    }
    assert page.original(line, len(text) + 1) == (13, 5)


def test_places_behind_marks() -> None:
    page = convert("\ufeffBees\r\n\r\n\u00a0 •\tthey hum\r\n\r\nTip Do $x$ it\r\n\r\n$a = b$")
    assert page.markdown == "# Bees\n\n- they hum\n\n> [!tip] Do $x$ it\n> $$a = b$$\n"
    found = [page.original(line, column) for line, column in ((1, 1), (1, 3), (2, 1), (3, 1), (3, 3), (5, 10), (6, 5))]
    assert found == [(1, 1), (1, 1), (3, 3), (3, 3), (3, 5), (5, 5), (7, 2)]


def test_a_place_outside_is_brought_inside() -> None:
    page = convert("Bees\n\nhum on.\n")
    assert page.original(99, 99) == (3, 8)
    assert page.original(0, 0) == (1, 1)
    assert convert("").original(5, 5) == (1, 1)
    assert convert("Bees\n\n$a = b$\n").original(3, 99) == (3, 7)  # behind a `$$` of which the page shows half


# Any page

VOCABULARY = (
    "bee Hive hum wax. why? kya hai :: ::: ? ?? # > - 1. • ◦ $ $$ == d_{max} \\frac{a}{b} n = 2 ∣ _ ^ { } ` * < & | \\ é ⏳ "
    "Step 1: Connections Recall Definition with › #flashcards/x #flashcards \u00a0 \u2028 \x0b \x00"
)
WORDS = st.sampled_from(VOCABULARY.split(" "))
LINES = st.lists(WORDS, max_size=6).map(" ".join)
PAGES = st.lists(LINES, max_size=25).map("\n".join)
"""Nothing but what a page may hold in the places where it hurts."""


def letters(text: str) -> list[tuple[int, int, str]]:
    """The letters and digits of a text with their places."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [(n, c, char) for n, line in enumerate(lines, 1) for c, char in enumerate(line, 1) if char.isalnum()]


@settings(deadline=None)
@given(PAGES)
def test_every_word_stays_in_its_order(text: str) -> None:
    page = convert(text)
    kept = [
        (piece.line, piece.column + offset, char)
        for line in page.lines
        for piece in line
        if piece.copied
        for offset, char in enumerate(piece.text)
        if char.isalnum()
    ]
    shown = letters(text)
    assert kept == sorted(kept)
    lost = set(shown) - set(kept)
    assert set(kept) <= set(shown)
    labels = {"Recall", "Definition"}
    for number, line in enumerate(text.split("\n"), 1):
        missing = "".join(char for n, _, char in sorted(lost) if n == number)
        first = line.split()[:1]
        assert missing == "" or line.strip() == page.breadcrumb or missing in labels or first == ["1."], line


@settings(deadline=None)
@given(PAGES, st.integers(-1, 60), st.integers(-1, 60))
def test_each_place_is_one_of_the_page(text: str, line: int, column: int) -> None:
    rows = text.split("\n")
    found_line, found_column = convert(text).original(line, column)
    assert 1 <= found_line <= len(rows)
    assert 1 <= found_column <= len(rows[found_line - 1]) + 1


@settings(deadline=None)
@given(PAGES)
def test_copied_characters_are_those_of_the_page(text: str) -> None:
    rows = text.split("\n")
    for line in convert(text).lines:
        for piece in line:
            if piece.copied:
                assert rows[piece.line - 1][piece.column - 1 :].startswith(piece.text)


@settings(deadline=None)
@given(PAGES)
def test_line_ends_make_no_difference(text: str) -> None:
    page = convert(text)
    for end in ("\r\n", "\r"):
        assert convert(text.replace("\n", end)) == page
    assert pasted.is_page(text, Settings()) == pasted.is_page(text.replace("\n", "\r\n"), Settings())


@settings(deadline=None)
@given(st.text(max_size=80))
def test_nothing_is_too_odd(text: str) -> None:
    page = convert(text)
    assert all(1 <= line <= len(page.lines) for line in page.reconstructed)
    assert page.markdown.count("\n") == len(page.lines)


@pytest.mark.parametrize(
    "unit",
    ["What is\n\nd_{max}\n\n, the width?\n\nIt is wide.\n\n", "$a ==b== ", "\\text{", "• a\n", "#flashcards\n\n", "a_b ", "$$", "h\n\n",
     "Why?\n\n", '"', "ab ", "Bees Hum\n\n", "* ", "` ", "<a ", "1 ", "( ", "{", "Connections Bees\n\n", " › ", "$ ", "[[:: ", "<!-- #a "],
)  # fmt: skip
def test_time_is_linear(unit: str) -> None:
    def seconds(size: int) -> float:
        text = "Bees\n\nThe Hive\n\n#flashcards\n\n" + unit * (size // len(unit))
        start = time.process_time()
        pasted.is_page(text, Settings())
        convert(text)
        return time.process_time() - start

    seconds(600)
    assert seconds(60_000) < 0.1 + 40 * seconds(6_000)


@pytest.mark.parametrize("unit", ["#flashcards\n\na\n\n", "0:01\nx\n", "Share\nfacebook\n", "{\\displaystyle a}\n"])
def test_time_is_linear_from_the_top(unit: str) -> None:
    def seconds(size: int) -> float:
        start = time.process_time()
        pasted.tidy(unit * (size // len(unit)), "x.txt", Settings())
        return time.process_time() - start

    seconds(600)
    assert seconds(30_000) < 0.1 + 40 * seconds(3_000)


# The pages the grammar was measured on

HEADINGS = {
    "001": [3, 14, 16, 18, 32, 51, 64, 78, 90, 92, 94, 111, 128, 142],
    "000": [5, 16, 18, 20, 34, 53, 66, 80, 92, 164, 178, 195, 227],
}


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the measured pages do not ship with the project")
@pytest.mark.parametrize("name", HEADINGS)
def test_measured_headings(name: str) -> None:
    (path,) = SEEDS.glob(f"{name}_*")
    text = path.read_text(encoding="utf-8-sig")
    assert pasted.is_page(text, Settings())
    page = convert(text)
    headings = [n for n, line in enumerate(page.markdown.split("\n"), 1) if line.startswith("##")]
    assert [page.original(n, 1)[0] for n in headings] == HEADINGS[name]


def test_time_is_linear_in_a_line_without_blanks() -> None:
    def seconds(size: int) -> float:
        text = "What is it? :: " + "x" * size
        start = time.process_time()
        pasted.is_page(text, Settings())
        convert(text)
        return time.process_time() - start

    seconds(160)
    assert seconds(16_000) < 0.1 + 40 * seconds(1_600)


@pytest.mark.parametrize("text", [" " * 100_000, "-" * 100_000 + "|x", "|-" * 50_000 + "x"])
def test_each_sign_of_a_long_line_is_looked_at_once(text: str) -> None:
    """The square of such a length would take minutes."""
    assert not pasted.is_page(text, Settings())

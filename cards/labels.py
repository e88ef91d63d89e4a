"""What notes and pages call their boxes, steps and mistakes, in both languages."""

LABELS = (
    ("Worked example", "example"),
    ("Example", "example"),
    ("Common mistake", "mistake"),
    ("Common misconception", "mistake"),
    ("Misconception", "mistake"),
    ("Galti", "mistake"),
    ("Aam galti", "mistake"),
    ("Common galti", "mistake"),
    ("Udaharan", "example"),
    ("Yaad rakho", "note"),
    ("Yaad rakhein", "note"),
    ("Dhyan do", "note"),
    ("Dhyan dein", "note"),
    ("Remember", "note"),
    ("Key point", "idea"),
    ("Key takeaway", "idea"),
    ("Recall", "recall"),
    ("Connections", "connections"),
    ("Definition", "definition"),
    ("Intuition", "intuition"),
    ("Key idea", "idea"),
    ("Summary", "summary"),
    ("Note", "note"),
    ("Tip", "tip"),
    ("Warning", "warning"),
)
"""Words in front of a title, as a page shows them, with the kind of callout they stand for."""

MISTAKES = frozenset(("mistake", "mistakes", "pitfall", *(word.lower() for word, kind in LABELS if kind == "mistake")))
"""What a box or a label of a mistake is called, in lower case."""

MISTAKE = r"(?:Mistake|Misconception|Myth|Galti)"
QUESTION = r"(?:Q|Question|Sawaa?l|Prashn)"
ANSWER = r"(?:Ans|Answer|Jawaa?b|Uttar)"
"""Patterns of the labels of a question and of its answer, but for the letter `A`, which labels choices too."""
STEP = r"(?:Step|Stage|Phase)\s+(\d+)"
"""Patterns of the names that are numbered; the number of a step is a group."""

"""Pictures and sounds of the notes → their names in the package.

Anki keeps all media of a learner in one flat folder, and takes a file that it has under the same name for the same file.
So a name carries a digest of the content: a changed picture gets a new name, and with it a changed field.
"""

import hashlib
from pathlib import Path
from unicodedata import category, normalize

from cards.embeds import Embed
from cards.media import Vault
from decks.html import Named

_LONGEST = 80
"""Bytes of the author's part of a name; Anki shortens names of more than 120."""


class Media:
    """The files that the embeds of the notes mean, and what they are called in a package."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._names: dict[Path, str] = {}

    def named(self, note: str, used: dict[str, Path]) -> Named:
        """Names for the embeds of the note at the path `note`; each file that gets one is put into `used`.

        The names raise `OSError` if a file cannot be read.
        """

        def name(embed: Embed) -> str | None:
            file = self._vault.find(embed, note)
            if not isinstance(file, Path):
                return None
            if file not in self._names:
                self._names[file] = _name(file)
            used[self._names[file]] = file
            return self._names[file]

        return name


def _name(file: Path) -> str:
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()[:8]
    stem = "".join(char if char == "_" or category(char)[0] in "LMN" else "-" for char in normalize("NFC", file.stem))
    short = stem.encode()[:_LONGEST].decode(errors="ignore").strip("-_")
    return f"{short or 'media'}-{digest}{file.suffix.lower()}"

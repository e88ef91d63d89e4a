"""Study notes → cards: pure text work, no Anki, no numpy."""

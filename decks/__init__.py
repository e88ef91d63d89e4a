"""Cards → Anki packages and previews."""

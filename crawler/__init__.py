"""A polite, guarded crawler: from a URL to pages of clean Markdown. It knows nothing of the application."""

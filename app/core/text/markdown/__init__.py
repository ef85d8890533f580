"""Markdown as blocks, which are stored and quoted as a whole, and as plain text."""

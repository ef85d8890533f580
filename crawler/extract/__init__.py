"""Turns HTML into a page of clean Markdown, in a separate process."""

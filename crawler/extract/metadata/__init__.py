"""Reads a page's metadata: title, description, dates, language and linked data."""

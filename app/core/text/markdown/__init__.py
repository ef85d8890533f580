"""Markdown by its blocks: what is kept and quoted whole, and how it reads."""

"""Writes an element as Markdown: blocks, running text, tables, code and the anchors of headings."""

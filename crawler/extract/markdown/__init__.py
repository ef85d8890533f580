"""An element becomes Markdown: blocks, running text, tables, code and the anchors of headings."""

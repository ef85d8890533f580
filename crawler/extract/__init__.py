"""HTML becomes a page of clean Markdown, in a process of its own."""

"""Uploaded files become Markdown, each format in a file of its own, in a process that may be killed."""

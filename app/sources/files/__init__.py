"""Converts uploaded files to Markdown, one module per format, in a process that may be killed."""

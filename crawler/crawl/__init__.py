"""Reads a website page by page, from a frontier that outlives the process."""

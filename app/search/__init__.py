"""Turns a question into a ranking of chunks."""

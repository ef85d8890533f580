"""Deletes agents and sources for good, rows and index entries, however often a worker dies meanwhile."""

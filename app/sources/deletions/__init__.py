"""Agents and sources go for good, rows and index entries, however often a worker dies over it."""

"""Answers whose page no longer says what they say, found when the page changes."""

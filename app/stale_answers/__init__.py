"""Answers that their page no longer supports, found when the page changes."""

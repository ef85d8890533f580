"""Checks that an answer passes before a visitor reads it."""

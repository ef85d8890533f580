"""Turns a question and the chunks found for it into an answer."""

"""Conversations that are handed over to a help desk, by mail or by its API, with what was said and cited."""

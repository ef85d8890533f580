"""Hands conversations over to a help desk, by mail or through its API, with the transcript and the citations."""

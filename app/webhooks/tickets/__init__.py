"""Conversations handed over to a help desk, by mail or through its API, with the transcript and the citations."""

"""Finds and removes what a stylesheet or an attribute hides from readers."""

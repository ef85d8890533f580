"""Operators are told by mail what happens on the agents of their workspace."""

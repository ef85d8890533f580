"""Delivers events of agents to an operator's own server, and to people."""

"""Agents: what an operator sets on them, their versions, and the users that a website signs for."""

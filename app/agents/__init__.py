"""Agents: their settings and versions, and the users whose identity a website signs."""

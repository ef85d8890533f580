"""Turns that another process runs."""

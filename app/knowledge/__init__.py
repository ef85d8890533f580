"""Turns a page into chunks in both indexes."""

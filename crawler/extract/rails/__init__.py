"""Removes parts around a page's text: teasers, authors, tags, comments, related pages."""

"""Removes what stands around a page's text: teasers, authors, tags, comments, related things."""

"""Closes a gap at its source: by changing the page in the website's own repository."""

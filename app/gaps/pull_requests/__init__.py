"""A gap is closed at its source: by a change of the page in the website's own repository."""

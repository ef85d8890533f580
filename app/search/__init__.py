"""A question becomes a ranking of chunks."""

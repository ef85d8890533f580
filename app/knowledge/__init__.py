"""A page becomes chunks in both indexes."""

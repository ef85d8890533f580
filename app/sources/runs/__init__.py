"""A source is read: runs, their pages and their end."""

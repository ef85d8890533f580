"""Reading a source: runs, their pages and their end."""

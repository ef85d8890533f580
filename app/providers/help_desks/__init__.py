"""Help desks that conversations are handed over to: one port, one vendor a file."""

"""Help desks to which conversations are handed over: one port, one vendor per file."""

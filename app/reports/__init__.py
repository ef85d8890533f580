"""What became of visitors' questions over any days, in figures."""

"""Reports: the outcomes of visitors' questions over any days, in figures."""

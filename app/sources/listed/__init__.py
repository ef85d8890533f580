"""Sources that list their documents themselves, read without following links: one module each, behind one port."""

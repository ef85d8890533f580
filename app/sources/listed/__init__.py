"""Sources that list their documents themselves, read without following a link: one a file, behind one port."""

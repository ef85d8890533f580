"""Values and pure rules that most rooms share, on the standard library alone."""

"""Values and pure rules that most rooms share. Imports the standard library alone."""

"""What is asked of a text, whatever it is about: its words, sentences and marks, in every script."""

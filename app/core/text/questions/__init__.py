"""What the words of a question ask for, whatever it is about."""

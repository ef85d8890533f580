"""Analysis of text, whatever its subject: words, sentences and marks, in every script."""

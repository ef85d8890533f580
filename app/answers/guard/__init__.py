"""What an answer must stand up to before a visitor reads it."""

"""`docent eval` and what it prints."""

"""`docent doctor`: whether everything that an installation stands on is well, and what mends what is not."""

"""`docent serve`, `work` and `migrate`, and the process that they run in."""

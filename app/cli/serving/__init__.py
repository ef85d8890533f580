"""`docent serve`, `work`, `mcp` and `migrate`, and the processes that they run."""

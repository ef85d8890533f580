"""`docent doctor`: checks everything that an installation depends on, and names the fix for each problem."""

"""`docent demo`: reads a website and answers questions about it, through the public HTTP API."""

"""`docent source ...`: what an agent reads."""

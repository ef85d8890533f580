"""What an operator sees first: how the agents of a workspace are doing, and what waits for somebody."""

"""A package that adds a feature to Docent: an operator greets an agent's subscribers."""

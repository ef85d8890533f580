"""An agent as one file: taken from one installation, compared with an agent, and applied to it."""

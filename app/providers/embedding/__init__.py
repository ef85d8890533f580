"""Embedders: the port, two vendors, and wrappers that batch and break the circuit."""

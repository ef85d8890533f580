"""Rerankers: the port, two vendors, and wrappers that shed load and break the circuit."""

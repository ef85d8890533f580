"""HTTP calls that operators have defined, for their agents to look something up in another system."""

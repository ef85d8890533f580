"""HTTP calls that operators define for their agents, to look something up or change something in another system."""

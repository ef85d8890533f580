"""The queue of work: DBOS, or this process itself."""

"""The job queue: DBOS, or this process itself."""

"""Mail: stored in the transaction that it reports on, and sent by a worker."""

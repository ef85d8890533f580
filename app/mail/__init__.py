"""Mail: put into the record with what it tells of, sent by a worker."""

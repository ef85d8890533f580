"""Indexes of chunks: by meaning in LanceDB, by words in Tantivy."""

"""Where chunks are found: by meaning in LanceDB, by words in Tantivy."""

"""Where the bytes of uploaded files may lie, other than in the record."""

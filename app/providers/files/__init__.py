"""Where the bytes of uploaded files may be stored, other than in the database."""

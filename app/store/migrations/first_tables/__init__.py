"""The tables of the first migration, as the database's own types; never changed once released."""

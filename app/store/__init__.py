"""The system of record in SQL: SQLite embedded, Postgres scaled, one set of tables and migrations."""

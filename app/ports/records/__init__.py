"""The system of record: one Protocol for each family of rows, and the transaction that binds them."""

"""Redis, so used that a server which is away or slow holds nobody up."""

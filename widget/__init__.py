"""The built widget script, carried as package data."""

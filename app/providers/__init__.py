"""Models and indexes: a port for each, and one vendor per file, named vendor_role."""

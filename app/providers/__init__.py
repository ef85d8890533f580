"""Models and indexes: what we ask of each, and one vendor a file, named vendor_role."""

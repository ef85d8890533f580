"""Chat models: the port, a vendor, and wrappers that bound, time and replace it."""

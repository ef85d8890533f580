"""Redis, used such that a server that is down or slow delays nobody."""

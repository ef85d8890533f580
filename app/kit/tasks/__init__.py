"""Tasks that run as long as the process, run periodically, or have to end."""

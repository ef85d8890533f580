"""Tasks that must last as long as the process, that come round again, or that have to end."""

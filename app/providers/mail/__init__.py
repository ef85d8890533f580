"""Mail servers: the port, and SMTP behind it."""

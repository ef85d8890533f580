"""Access for programs, besides the widget. They ask as visitors do, and their turns record the channel."""

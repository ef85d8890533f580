"""Search as visitors type, in the widget."""

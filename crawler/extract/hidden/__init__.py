"""What a stylesheet or an attribute hides from readers, and its removal."""

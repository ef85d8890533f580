"""Conversations with visitors, and who may read, continue or erase them."""

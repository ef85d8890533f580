"""Visitors' data: export, erasure, retention."""

"""Measures search on a set of questions, stage by stage."""

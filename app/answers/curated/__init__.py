"""Answers that operators wrote, and rehearsals of them on past questions."""

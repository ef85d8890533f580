"""Docent: answers the visitors of a website from that website."""

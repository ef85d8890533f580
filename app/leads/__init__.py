"""Leads: messages that visitors leave for people to answer."""

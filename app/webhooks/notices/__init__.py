"""Mails to operators about events of their workspace's agents."""

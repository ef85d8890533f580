"""Slack and Discord: people ask an agent there, and get its answer there."""

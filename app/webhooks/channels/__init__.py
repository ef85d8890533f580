"""Notices in a team's chat: posted into channels of Slack and Discord by their incoming webhooks."""

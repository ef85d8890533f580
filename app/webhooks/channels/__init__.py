"""Notices in a team's chat: posted to Slack and Discord channels through incoming webhooks."""

"""E-mail to an agent: a mailbox is read, and what the agent is sure of is answered there."""

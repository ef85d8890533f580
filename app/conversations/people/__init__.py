"""People beside the agent: live chats, and leads that visitors leave."""

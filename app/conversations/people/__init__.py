"""Contact with people: live chats, and leads that visitors leave."""

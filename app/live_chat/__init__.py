"""Live chats: a visitor asks for a person, and operators answer instead of the agent."""

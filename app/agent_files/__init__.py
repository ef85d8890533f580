"""An agent as one file: exported, compared with an agent, and applied to one."""

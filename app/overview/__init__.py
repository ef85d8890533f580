"""The first page for operators: how the agents of a workspace are doing, and what needs attention."""

"""An operator's own server hears of what happens on an agent."""

"""The console: pages for operators, which work without scripts (how to add one: docs/how-to/add-a-console-page.md)."""

"""The console: pages for operators, which work without scripts. docs/console.md says how one is added."""

"""The console: pages for operators, which work without scripts. docs/console.md describes how to add one."""

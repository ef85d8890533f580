"""One module a part of the console, each declaring its pages."""

"""Opens the parts of the commands, the web process and the worker, each after those that it needs, and closes them in
reverse order:

    infrastructure   the system of record, both indexes, the models        every command
    answering        search, writers, turns, conversations                 serve, ask, search
    knowledge        reading sources, ingest, reconcile, reindex           work, crawl, reindex

Only this folder and `main.py` choose adapters, and nothing connects before its context is entered. Modules are imported
when their part is opened, so that a command that opens fewer parts starts sooner. Tests open the same parts with
`Doubles`, replacements by the types that constructors name.
"""

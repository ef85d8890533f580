"""The parts of the commands, the web process and the worker, each opened on top of those it needs and closed in
reverse order:

    infrastructure   the system of record, both indexes, the models        every command
    answering        search, writers, turns, conversations                 serve, ask, search
    knowledge        reading sources, ingest, reconcile, reindex           work, crawl, reindex

Only this folder and `main.py` choose adapters, and nothing connects before its context is entered. Each part imports
what it opens when it is opened, so a command that opens less starts sooner. Tests open the same parts with `Doubles`,
which replace parts by the types that constructors name.
"""

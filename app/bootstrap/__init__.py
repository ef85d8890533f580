"""What the commands, the web process and the worker are made of, each opened on what stands below it and closed in
reverse order:

    infrastructure   the system of record, both indexes, the models        every command
    answering        search, writers, turns, conversations                 serve, ask, search
    knowledge        reading sources, ingest, reconcile, reindex           work, crawl, reindex

Nothing outside this folder and `main.py` picks an adapter, and nothing connects before its context is entered. Each
imports what it opens when it is opened: a command that opens less starts sooner. Tests open the same with `Doubles`,
which take the place of parts by the types that others name.
"""

"""What people ask about PostgreSQL, in their own words, and the pages of its manual that truly answer.

The questions were written down before anything was measured, and none was exchanged for failing.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    right_pages: frozenset[str]


def _asked(text: str, *right_pages: str) -> Question:
    return Question(text, frozenset(f"{page}.html" for page in right_pages))


QUESTIONS = (
    # how to
    _asked("How can I copy a single database over to another machine?", "backup-dump", "app-pgdump", "app-pgrestore"),
    _asked("How do I split a huge table into one part per month?", "ddl-partitioning"),
    _asked("How can I see which queries take the most time in total?", "pgstatstatements"),
    # what a parameter means
    _asked("What does work_mem do, and can one query use it more than once?", "runtime-config-resource"),
    # errors and limits
    _asked("My transaction was cancelled because of a deadlock. How do I avoid that?", "explicit-locking"),
    _asked("How large can a table become, and how many columns may it have?", "limits"),
    # SQL syntax
    _asked("How do I add a row, or update it if the key is already there?", "sql-insert", "sql-merge"),
    _asked("Can a DELETE hand me back the rows it removed?", "dml-returning", "sql-delete"),
    # administration
    _asked("How do I allow a user to log in only from one IP address?", "auth-pg-hba-conf"),
    # concepts
    _asked("Why does my table keep growing although I delete old rows?", "routine-vacuuming", "sql-vacuum"),
    _asked("What is the difference between json and jsonb?", "datatype-json"),
    _asked("Why does my query not use the index that I made?", "indexes-examine"),
)
RIGHT_ENOUGH = 10

"""Every transaction says whose rows it is about, or stands here with the reason why it cannot."""

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Final

APP = Path(__file__).parents[2] / "app"
RECORDS = {"record", "records", "_record", "_records"}
_OPENED: Final = re.compile(r"records?\s*\.\s*(?:read|write|reading|writing)\b")

# How many of a file's transactions see the whole installation, and why they must.
INSTALLATION_WIDE: Final = {
    # Nobody is known yet: this finds out who asks.
    "main.py": (1, "whether the database answers"),
    "workspaces/api_tokens.py": (1, "whose a token is"),
    "workspaces/first_account.py": (4, "whether anybody has an account yet; the installation's keys"),
    "workspaces/operators.py": (1, "how the passwords of an address are hashed, in whichever workspace"),
    "workspaces/passkeys.py": (3, "the installation's key of challenges; whose a passkey is"),
    "workspaces/password_links.py": (3, "whose a link or an address is; requests of nobody are noted"),
    "workspaces/provider_sign_in.py": (2, "whose an identity is; failures of nobody are noted"),
    "workspaces/sign_in.py": (7, "whose an address or a session is; failures of nobody are noted; old sessions end"),
    "sources/source_editing.py": (1, "whose a signed call is"),
    "sources/files/source_files.py": (1, "a file that its operator has made public is anybody's"),
    "sources/files/file_bodies.py": (1, "which objects of the store are nobody's any more"),
    "conversations/history.py": (1, "by a conversation alone, which the caller has checked"),
    "turns/remote/remote_turns.py": (2, "by a turn of another process, whose reader was checked, or that is erased"),
    # Of all workspaces at once: what a process does for all of them.
    "turns/turn_end_store.py": (1, "the texts of all turns of a process, in one write"),
    "turns/heartbeat.py": (2, "heartbeats, and the turns of processes that died"),
    "conversations/privacy/retention.py": (2, "whose data has a period; a batch of old traces, whoever's"),
    "gaps/gap_clustering.py": (2, "whose gaps wait; what another model has placed"),
    "gaps/gap_replays.py": (1, "whose gaps are due"),
    "gaps/stopped_turns.py": (2, "a batch of stopped turns, whoever's"),
    "quality/golden_runs.py": (2, "whose run is due, and whether another one is"),
    "mailbox/mail_reading.py": (1, "whose mailbox is due"),
    "site_report/report_orders.py": (1, "whose report is due"),
    "stale_answers/stale_search.py": (1, "whose pages have changed"),
    "reports/reports.py": (2, "whose days are over, or have changed"),
    "reports/topic_placing.py": (2, "whose questions wait; what another model has placed"),
    "search/index_watch.py": (1, "which agents have something to be found"),
    "knowledge/ingest.py": (1, "whose page was cut by old rules"),
    "knowledge/reconcile.py": (2, "which agents there are; whose pages are pending"),
    "knowledge/reindex.py": (1, "which agents there are"),
    "sources/deletions/deletions.py": (4, "receipts, which outlive the agent that would name the workspace"),
    "sources/runs/knowledge_jobs.py": (1, "whose readings are due"),
    "sources/runs/run_execution.py": (3, "a run, by what the queue hands out; its source says whose it is"),
    "sources/runs/jobs/dbos_worker.py": (4, "heartbeats, and runs that no queue has"),
    "store/delivery_loop.py": (3, "whose rows are due, and which were given up long ago"),
    "webhooks/announcements.py": (2, "whose warnings and whose digests are owed"),
    # Tables that are the installation's, and workspaces themselves.
    "knowledge/text_vectors.py": (2, "the vectors of texts"),
    "workspaces/sealed_secrets.py": (5, "the installation's keys"),
    "workspaces/workspaces.py": (4, "makes and lists workspaces; the installation's keys"),
    "web/visitor_tokens.py": (2, "the installation's keys"),
    "cli/local_operator.py": (2, "which workspace a command means"),
    "cli/doctor/service_checks.py": (4, "the database, its policies, its workers and its mails"),
    "cli/sources/jobs_here.py": (1, "whether a worker lives"),
    "cli/sources/run_now.py": (1, "whether a worker lives"),
}


def test_a_transaction_names_its_workspace_or_is_listed() -> None:
    assert unbound() == {name: count for name, (count, _) in INSTALLATION_WIDE.items()}


def unbound() -> dict[str, int]:
    """Transactions by file that are opened on the record itself, and not on what `of_workspace` or `of_agent` gives."""
    found = Counter[str]()
    for path in APP.rglob("*.py"):
        source = path.read_text("utf-8")
        for node in ast.walk(ast.parse(source)) if _OPENED.search(source) else ():
            if not isinstance(node, ast.Attribute) or node.attr not in ("read", "write", "reading", "writing"):
                continue
            if ast.unparse(node.value).rpartition(".")[2] in RECORDS:
                found[path.relative_to(APP).as_posix()] += 1
    return dict(found)

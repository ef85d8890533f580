"""Each kind of change in the audit has a name that people understand."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from app.core.confirmation import ConfirmationState
from app.sources.deletions.deletion import DeletedKind
from app.workspaces.audit_entry import CHANGES, AuditEntry

_APP = Path(__file__).parents[2] / "app"
_CODE = re.compile(r"[a-z_]+\.[a-z_]+")
# Actions whose second word is worked out, and those that older versions have written.
_WORKED_OUT = {f"{kind}.delete" for kind in DeletedKind} | {
    f"action.{state}" for state in ConfirmationState if state is not ConfirmationState.ASKED
}
_OLDER = {"lead.assign"}


def entry(action: str) -> AuditEntry:
    return AuditEntry(UUID(int=1), "ann", action, "", {}, datetime(2026, 1, 1, tzinfo=UTC))


def written_in(path: Path) -> Iterator[str]:
    """The actions in calls that audit one, and what else looks like one in their module and is no log's event."""
    source = path.read_text("utf-8")
    if "AuditRecords" not in source:
        return
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    told = [call.args[0] for call in calls if call.args and ast.unparse(call.func).startswith(("log.", "_log."))]
    events = {id(node) for each in told for node in ast.walk(each)}
    given = [call.args[1] for call in calls if ast.unparse(call.func).endswith("AuditRecords(tx).acted")]
    audited = {id(node) for each in given for node in ast.walk(each)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for text in texts:
        code = str(text.value)
        is_known = id(text) in audited or code.partition(".")[0] in CHANGES
        if id(text) not in events and _CODE.fullmatch(code) and is_known:
            yield code


def test_every_kind_of_change_has_words_and_no_words_are_for_nothing() -> None:
    written = {action for path in _APP.rglob("*.py") for action in written_in(path)}
    assert len(written) > 100
    named = {f"{subject}.{verb}" for subject, kind in CHANGES.items() for verb in kind.changes}
    assert written | _WORKED_OUT | _OLDER == named


def test_no_two_kinds_of_change_have_the_same_words() -> None:
    names = [name for kind in CHANGES.values() for name in kind.changes.values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("action", "name"),
    [
        ("operator.sign_in", "Signed in"),
        ("gap.look_twice", "Gap: look twice"),
        ("old_thing.make_new", "old thing: make new"),
    ],
    ids=["known", "a verb of another version", "a subject of another version"],
)
def test_an_action_in_words(action: str, name: str) -> None:
    assert entry(action).action_name == name


def test_details_are_told_in_words() -> None:
    details = {
        "changed": ["live_chat", "theme"],
        "run_id": "01a21e88-6e2b-7e69-a2de-b6d1e4dcf60d",
        "url": "",
        "is_public": True,
        "email": "ann_lee@example.com",
        "removed": {"old_versions": 2},
        "until": None,
        "asked": 0,
    }
    assert replace(entry("agent.edit"), details=details).details_in_words == {
        "changed": "live chat, theme",
        "run id": "…e4dcf60d",
        "is public": "yes",
        "email": "ann_lee@example.com",
        "removed": "old versions 2",
        "asked": "0",
    }

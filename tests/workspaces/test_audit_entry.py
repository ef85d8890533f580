"""Each kind of change in the audit has a name that people understand."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

import app.bootstrap.application  # noqa: F401  # with it, every room of the core has declared its changes
from app.bootstrap.features import FEATURES
from app.core.confirmation import ConfirmationState
from app.sources.deletions.deletion import DeletedKind
from app.workspaces.audit_entry import AuditEntry, changes_of, declared_changes, more_changes_of

_ROOT = Path(__file__).parents[2]
_CODE = re.compile(r"[a-z_]+\.[a-z_]+")
# Actions whose second word is worked out, and those that older versions have written.
_WORKED_OUT = {f"{kind}.delete" for kind in DeletedKind} | {
    f"action.{state}" for state in ConfirmationState if state is not ConfirmationState.ASKED
}
_OLDER = {"lead.assign"}
_GUESTS = [feature.edge() for feature in FEATURES]  # which have declared theirs with this


def entry(action: str) -> AuditEntry:
    return AuditEntry(UUID(int=1), "ann", action, "", {}, datetime(2026, 1, 1, tzinfo=UTC))


def written_in(path: Path) -> Iterator[str]:
    """Whatever looks like an action in a module that audits any, and is no log's event."""
    source = path.read_text("utf-8")
    if "AuditRecords" not in source:
        return
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    told = [call.args[0] for call in calls if call.args and ast.unparse(call.func).startswith(("log.", "_log."))]
    events = {id(node) for each in told for node in ast.walk(each)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for text in texts:
        if id(text) not in events and _CODE.fullmatch(str(text.value)):
            yield str(text.value)


def declared_in(path: Path) -> Iterator[str]:
    """The actions that a module names."""
    source = path.read_text("utf-8")
    if "changes_of" not in source:
        return
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    for call in calls:
        if ast.unparse(call.func) in ("changes_of", "more_changes_of") and isinstance(call.args[0], ast.Constant):
            kind, *_, changes = map(ast.literal_eval, call.args)
            yield from (f"{kind}.{verb}" for verb in changes)


def test_every_kind_of_change_has_words_and_no_words_are_for_nothing() -> None:
    written = {action for path in (_ROOT / "app").rglob("*.py") for action in written_in(path)}
    assert len(written) > 100
    named = {f"{subject}.{verb}" for subject, kind in declared_changes().items() for verb in kind.changes}
    assert written | _WORKED_OUT | _OLDER == named


def test_the_web_process_knows_the_words_of_every_room() -> None:
    told = "import json, app.bootstrap.application as _; from app.workspaces.audit_entry import declared_changes as d"
    guests = "from app.bootstrap.features import FEATURES; [feature.edge() for feature in FEATURES]"
    shown = "print(json.dumps([f'{kind}.{verb}' for kind, each in d().items() for verb in each.changes]))"
    process = subprocess.run(
        [sys.executable, "-c", f"{told}; {guests}; {shown}"], cwd=_ROOT, capture_output=True, check=True
    )
    declared = {action for path in (_ROOT / "app").rglob("*.py") for action in declared_in(path)}
    assert set(json.loads(process.stdout)) == declared


def test_no_two_kinds_of_change_have_the_same_words() -> None:
    names = [name for kind in declared_changes().values() for name in kind.changes.values()]
    assert len(names) == len(set(names))


def test_nothing_is_named_twice() -> None:
    with pytest.raises(ValueError, match='"lead" is declared twice'):
        changes_of("lead", "Lead", "Leads", {})
    with pytest.raises(ValueError, match=r'"lead\.edit" is declared twice'):
        more_changes_of("lead", {"edit": "Lead changed"})


def test_kinds_and_changes_are_in_the_order_of_their_names() -> None:
    kinds = declared_changes().values()
    plurals = [kind.plural for kind in kinds]
    assert plurals[:3] == ["Actions", "Agents", "API tokens"]
    assert plurals == sorted(plurals, key=str.casefold)
    assert all([*kind.changes.values()] == sorted(kind.changes.values(), key=str.casefold) for kind in kinds)


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

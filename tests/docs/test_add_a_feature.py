"""What docs/architecture.md says of a feature ("Add a feature"): it is its folder and a line in the list of features.

No other file of the product names its modules, its pages or its events, but for those listed here with their reasons.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from app.bootstrap.features import FEATURES
from app.feature import Feature
from tests.web.house import uninhabited

_ROOT: Final = Path(__file__).resolve().parents[2]
_LIST: Final = "app/bootstrap/features.py"
_SECTION: Final = (
    (_ROOT / "docs" / "architecture.md").read_text("utf-8").partition("## Add a feature\n")[2].partition("\n## ")[0]
)
# The file, and the features that it names.
_NAMED_ELSEWHERE: Final[Mapping[str, set[str]]] = {
    # What an answer may call is opened with the settings, before anything that answers.
    "app/bootstrap/adapters.py": {"actions"},
    "app/bootstrap/answering.py": {"actions"},
    "app/main.py": {"actions"},
    # Commands, which are imported when they are called.
    "app/cli/agent_files.py": {"agent_files"},
    "app/cli/serving/commands.py": {"channels"},
    "app/cli/past_questions.py": {"past_questions"},
    "app/cli/site_report.py": {"site_report"},
    # An import is ordered and made as a report on a website is.
    "app/past_questions/api.py": {"site_report"},
    "app/past_questions/pages.py": {"site_report"},
    "app/past_questions/past_imports.py": {"site_report"},
    "app/past_questions/past_questions.py": {"site_report"},
    # An agent as a file has its actions and saved replies.
    "app/agent_files/agent_file.py": {"actions", "live_chat"},
    "app/agent_files/agent_files.py": {"actions", "live_chat"},
    "app/agent_files/api/file_models.py": {"actions", "live_chat"},
    # A lead is what waits for a ticket, and for a gap that is closed.
    "app/webhooks/tickets/records.py": {"leads"},
    "app/webhooks/tickets/desk_settings.py": {"leads"},
    "app/gaps/pull_requests/records.py": {"leads"},
    # Links within what the page is about, and what waits on every page, each only if the other page is there.
    "app/conversations/pages/conversation.html": {"live_chat"},
    "app/conversations/pages/conversation.py": {"live_chat"},
    "app/gaps/pages/threshold.html": {"reports"},
    "app/gaps/pages/threshold.py": {"reports"},
    "app/live_chat/pages/live.html": {"notices"},
    "app/overview/overview.html": {"live_chat", "reports"},
    "app/web/console/templates/layout.html": {"live_chat"},
    "app/webhooks/channels/notice_channels.html": {"notices"},
    "app/webhooks/channels/pages.py": {"notices"},
}


def _folder(feature: Feature) -> Path:
    where = sys.modules[feature.edge.__module__].__file__
    assert where is not None
    return Path(where).parent


def _names_of(feature: Feature) -> re.Pattern[str]:
    """Its modules, its templates, its pages where a page is named, and its events."""
    folder = _folder(feature).relative_to(_ROOT)
    parts = uninhabited()
    pages = [page.name for kind in feature.edge().pages for page in parts.get(kind).pages()]
    named = [re.escape(".".join(folder.parts)) + r"\b", rf'"{re.escape("/".join(folder.parts[1:]))}/\w+\.html']
    if pages:
        name = rf"""["'](?:{"|".join(pages)})["']"""
        named.append(
            rf"""url\({name}|{name} in visit\.pages|(?:under|shown_on|back)={name}|back = {name}|Link\({name}"""
        )
    named += [re.escape(f'"{event.name}"') for event in feature.events]
    return re.compile("|".join(named))


def _files() -> Iterator[Path]:
    for path in (_ROOT / "app").rglob("*"):
        if path.suffix in (".py", ".html") and not {"migrations", "demo_site", "__pycache__"} & set(path.parts):
            yield path


@pytest.fixture(scope="module")
def named() -> dict[str, set[str]]:
    """By file: the features that it names and does not belong to."""
    found: dict[str, set[str]] = defaultdict(set)
    texts = {path: path.read_text("utf-8") for path in _files()}
    for feature in FEATURES:
        folder, names = _folder(feature), _names_of(feature)
        for path, text in texts.items():
            if folder not in path.parents and names.search(text):
                found[path.relative_to(_ROOT).as_posix()].add(feature.name)
    return found


def test_a_feature_is_named_by_its_folder_and_the_list_of_features(named: dict[str, set[str]]) -> None:
    assert named.pop(_LIST) == {feature.name for feature in FEATURES}
    assert named == _NAMED_ELSEWHERE


def test_the_list_has_a_line_for_the_import_and_one_for_the_feature() -> None:
    text = (_ROOT / _LIST).read_text("utf-8")
    for feature in FEATURES:
        module = ".".join(_folder(feature).relative_to(_ROOT).parts)
        assert len(re.findall(rf"^from {re.escape(module)} import FEATURE as (\w+)$", text, re.MULTILINE)) == 1


def test_the_worked_example_names_every_file_of_its_folder() -> None:
    files = {path.relative_to(_ROOT).as_posix() for path in _files() if path.parent == _ROOT / "app" / "stale_answers"}
    listed = set(re.findall(r"^\| `(app/[^`]+)` \|", _SECTION, re.MULTILINE))
    assert listed == files | {_LIST}

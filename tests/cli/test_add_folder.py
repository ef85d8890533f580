"""`docent source add-folder`: Markdown files with front matter become pages at their addresses."""

import os
from pathlib import Path
from typing import Any

import pytest

from app.cli.sources.source_files import read_folder
from app.core.errors import InvalidInput
from tests.cli.test_commands import Environment, answer, docent

BASE = "https://www.example.com/docs"


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")


def told(folder: Path) -> dict[str, dict[str, Any]]:
    return {file.path.relative_to(folder).as_posix(): file.document for file in read_folder(folder, BASE)}


@pytest.mark.parametrize(
    ("name", "front", "url"),
    [
        ("returns.md", "", f"{BASE}/returns/"),
        ("help/how to pay.md", "", f"{BASE}/help/how%20to%20pay/"),
        ("help/index.md", "", f"{BASE}/help/"),
        ("README.md", "", f"{BASE}/"),
        ("help/pay.md", "slug: paying", f"{BASE}/help/paying/"),
        ("help/pay.md", "slug: /paying", f"{BASE}/paying/"),
        ("help/pay.md", "url: /pay.html", "https://www.example.com/pay.html"),
        ("help/pay.md", "url: https://pay.example.com/", "https://pay.example.com/"),
    ],
)
def test_a_page_stands_where_its_front_matter_or_its_path_says(tmp_path: Path, name: str, front: str, url: str) -> None:
    write(tmp_path, name, f"---\n{front}\n---\nText." if front else "Text.")
    assert told(tmp_path)[name]["url"] == url


def test_front_matter_says_title_date_language_and_attributes(tmp_path: Path) -> None:
    front = 'title: "Returns: how"\ndate: 2026-05-01\nlang: en\ntags: [lamps, 7]\nattributes: {plan: pro}\nweight: 3'
    write(tmp_path, "returns.md", f"---\n{front}\n---\n# Other\n\nSend it back.\n\n---\n\nSoon.")
    page = told(tmp_path)["returns.md"]
    assert (page["title"], page["date"], page["language"]) == ("Returns: how", "2026-05-01", "en")
    assert page["attributes"] == {"tags": ["lamps", "7"], "plan": ["pro"]}
    assert page["text"] == "# Other\n\nSend it back.\n\n---\n\nSoon."


def test_without_front_matter_the_first_heading_is_the_title(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "# Returns #\n\nText.")
    write(tmp_path, "b.md", "Text.")
    assert [page["title"] for page in told(tmp_path).values()] == ["Returns", "b"]


def test_drafts_hidden_and_other_files_are_left_out(tmp_path: Path) -> None:
    for name in (".git/a.md", "b.txt", "c.md"):
        write(tmp_path, name, "Text.")
    write(tmp_path, "draft.md", "---\ndraft: true\n---\nText.")
    assert list(told(tmp_path)) == ["c.md"]


@pytest.mark.parametrize("front", ["title: [", "- a"])
def test_front_matter_that_cannot_be_read_is_named(tmp_path: Path, front: str) -> None:
    write(tmp_path, "help/a.md", f"---\n{front}\n---\nText.")
    with pytest.raises(InvalidInput, match=r"help/a\.md"):
        told(tmp_path)


def test_an_agent_learns_from_a_folder_and_forgets_what_has_left(tmp_path: Path) -> None:
    environment: Environment = {"DOCENT_DATA": str(tmp_path / "data"), "DOCENT_LOG_LEVEL": "error"}
    folder = tmp_path / "docs"
    write(folder, "warranty.md", "---\ntitle: Warranty\nslug: guarantee\n---\nA lamp has a warranty of 3 years.")
    write(folder, "returns.md", "# Returns\n\nYou may return a lamp within 30 days.")
    first = answer(environment, "source", "add-folder", str(folder), "--url", BASE)
    assert (first["state"], first["counts"]) == ("finished", {"indexed": 2})
    asked = answer(environment, "ask", "How long is the warranty of a lamp?")
    assert "3 years" in asked["answer"]
    assert asked["citations"][0]["url"].startswith(f"{BASE}/guarantee/")

    os.remove(folder / "warranty.md")
    again = answer(environment, "source", "add-folder", str(folder), "--url", BASE)
    assert (again["source_id"], again["counts"]) == (first["source_id"], {"unchanged": 1, "gone": 1})
    assert "3 years" not in answer(environment, "ask", "How long is the warranty of a lamp?")["answer"]

    write(folder, "wrong.md", "---\ndate: soon\n---\nText.")
    refused = docent(environment, "source", "add-folder", str(folder), "--url", BASE, code=2)
    assert "wrong.md: date: Send a date" in refused.stderr

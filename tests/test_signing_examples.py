"""The documented ways to sign a user id make what Docent takes. PHP and Ruby are run where they are installed."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.agents.signed_user import filter_signature, user_signature

_DOCUMENT = (Path(__file__).parents[1] / "docs" / "how-to" / "signed-visitors.md").read_text("utf-8")
SECRET, USER = "dus_a-secret_0", "zoë@example.com"
# How each language is run, and what goes before and after the example.
LANGUAGES = {
    "js": (["node", "-e"], f"const userId = {json.dumps(USER)};", "console.log(hash)"),
    "python": (["python3", "-c"], f"user_id = {USER!r}", "print(hash)"),
    "php": (["php", "-r"], f"$userId = '{USER}';", "echo $hash;"),
    "ruby": (["ruby", "-e"], f"user_id = '{USER}'", "puts hash"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_example_of_signing_makes_the_signature(language: str) -> None:
    [section] = re.findall(r"## Signed-in visitors\n(.*?)\n## ", _DOCUMENT, re.S)
    [example] = re.findall(rf"```{language}\n(.*?)```", section, re.S)
    command, before, after = LANGUAGES[language]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    ended = subprocess.run(
        [*command, f"{before}\n{example}\n{after}"],
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "CHAT_USER_SECRET": SECRET, "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert ended.stdout.strip() == user_signature(SECRET, USER), ended.stderr


def test_the_example_of_signing_a_filter_makes_the_signature() -> None:
    [section] = re.findall(r"## Signed filters\n(.*)", _DOCUMENT, re.S)
    [example] = re.findall(r"```python\n(.*?)```", section, re.S)
    ended = subprocess.run(
        ["python3", "-c", f"user_id = {USER!r}\n{example}\nprint(filter_hash, filter)"],
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "CHAT_USER_SECRET": SECRET, "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    made, _, text = ended.stdout.rstrip("\n").partition(" ")
    assert made == filter_signature(SECRET, text, USER)

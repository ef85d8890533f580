"""Runs the widget's own TypeScript on cases, through node."""

import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

_WIDGET = Path(__file__).resolve().parents[2] / "widget"


def run_widget(part: Literal["sse", "markdown"], orders: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What the part made of each order, by the order's id."""
    ended = subprocess.run(
        ["node", "cases.mjs", part],
        cwd=_WIDGET,
        input="\n".join(map(json.dumps, orders)),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    lines = ended.stdout.strip().split("\n")  # a text's own line separators are not ours
    return {made["id"]: made for made in map(json.loads, lines)}

"""The other frameworks, each in an environment of its own below `.venv/peers`: none of them is a dependency of ours."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

PACKAGES: Final[Mapping[str, Sequence[str]]] = {
    "llamaindex": (
        "llama-index-core",
        "llama-index-retrievers-bm25",
        "llama-index-vector-stores-lancedb",
        "pandas",  # which the one before imports and does not require
    ),
    "haystack": ("haystack-ai",),
    "langchain": ("langchain-classic", "langchain-community", "langchain-lancedb", "lancedb", "rank-bm25"),
}
_HOME: Final = Path(__file__).resolve().parents[2] / ".venv" / "peers"
_VERSIONS: Final = """
import importlib.metadata, json, sys
print(json.dumps({name: importlib.metadata.version(name) for name in sys.argv[1:]}))
"""


def python_of(name: str) -> Path:
    return _HOME / name / "bin" / "python"


def install() -> None:
    """The newest versions that PyPI has. Raises SystemExit where they cannot be had."""
    for name, packages in PACKAGES.items():
        print(f"installing {name}", file=sys.stderr, flush=True)
        try:
            subprocess.run([sys.executable, "-m", "venv", str(_HOME / name)], check=True)
            pip = [str(python_of(name)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade"]
            subprocess.run([*pip, *packages], check=True)
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"{name} cannot be installed: {error}") from error


def missing() -> list[str]:
    return [name for name in PACKAGES if not python_of(name).exists()]


def versions() -> dict[str, str]:
    """Of all PACKAGES, as they are installed."""
    found: dict[str, str] = {}
    for name, packages in PACKAGES.items():
        said = subprocess.run(
            [str(python_of(name)), "-c", _VERSIONS, *packages], check=True, stdout=subprocess.PIPE, text=True
        )
        found |= json.loads(said.stdout)
    return found

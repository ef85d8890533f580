"""The lines of docs/releases.md that install a release, with uv and pipx as people have them."""

from importlib.metadata import version

from tests.newcomer.newcomer import Newcomer


def test_pipx_installs_the_command(newcomer: Newcomer) -> None:
    said = newcomer.shell(f"{newcomer.home}/.local/bin/docent --version", {})
    assert (said.code, said.stdout) == (0, f"docent {version('docent')}\n"), said.text


def test_uvx_runs_the_demonstration_from_the_wheel(newcomer: Newcomer) -> None:
    said = newcomer.tool("uvx")
    assert (said.code, "warranty" in said.stdout) == (0, True), said.text

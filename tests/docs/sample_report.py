"""The sample of `docent report` in docs/site: `make sample-report` writes it, over the demonstration site with faults.

Usage: python -m tests.docs.sample_report
"""

import shutil
import tempfile
from pathlib import Path
from typing import Final

from typer.testing import CliRunner

from app.cli import cli
from app.cli.demo.site_server import serve_demo_site
from tests.site_report.planted import PLANTS, Plant

FILE: Final = Path(__file__).resolve().parents[2] / "docs" / "site" / "site-report.html"
_SITE: Final = Path(__file__).resolve().parents[2] / "app" / "demo_site"
_QUESTIONS: Final = (
    "my station went dark after the storm",
    "how long do i have to send it back",
    "can i pay in bitcoin",
    "is there a discount for students",
    "does it work with homekit",
)
_FAULTS: Final = (
    PLANTS[0],
    PLANTS[1],
    PLANTS[6],
    PLANTS[13],
    Plant("/careers/", 'open until <time datetime="2026-12-31">31 December 2026', "open until <time>31 December 2025"),
    Plant("/features/rain/", "<h1>Rain, ", "<p>New in 2024: a map of the rain.</p><h1>Rain, "),
)


def write_sample() -> None:
    with tempfile.TemporaryDirectory() as folder, serve_demo_site() as site:
        site.root = shutil.copytree(_SITE, Path(folder) / "site")
        for path, before, after in _FAULTS:
            page = Path(folder) / "site" / path.strip("/") / "index.html"
            text = page.read_text("utf-8")
            assert before in text, f"{path} has no longer: {before}"
            page.write_text(text.replace(before, after), "utf-8")
        questions = Path(folder) / "questions.csv"
        questions.write_text("\n".join(("question", *_QUESTIONS)), "utf-8")
        words = ("--allow", site.base.removeprefix("http://"), "--questions", str(questions), "--out", str(FILE))
        made = CliRunner().invoke(cli, ["report", site.base, *words], env={"DOCENT_CRAWL_DELAY_SECONDS": "0"})
        assert made.exit_code == 0, made.output
        FILE.write_text(FILE.read_text("utf-8").replace(site.base, "https://nimbrel.example"), "utf-8")


if __name__ == "__main__":
    write_sample()

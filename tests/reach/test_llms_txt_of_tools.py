"""An llms.txt as real tools write it leads the crawler to the Markdown of its pages, cited where people read."""

import mimetypes
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from crawler.discover.crawl_seeds import SeedKind
from crawler.extract.page import Outcome
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.fetch.pacing import HostPacing
from tests.crawler.conftest import site as site
from tests.crawler.crawl.small_site import Run
from tests.doubles.fake_network import USER_AGENT
from tests.doubles.loopback_site import LoopbackSite
from tests.recipes.tools import VITEPRESS_PACKAGES, npm_project, python_programs, run

INDEX = "# Harbour\n\nWelcome to the harbour.\n\n[To the crane](crane.md)\n"
CRANE = "# The crane\n\nThe harbour crane lifts 40 tonnes.\n"
VITEPRESS = """
import llms from "vitepress-plugin-llms";
export default { title: "Harbour", vite: { plugins: [llms({ domain: "ORIGIN" })] } };
"""
MKDOCS = """
site_name: Harbour
site_url: ORIGIN/
plugins:
- llmstxt:
    full_output: llms-full.txt
    sections:
      Docs:
      - index.md
      - crane.md
"""

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture
async def crawl(site: LoopbackSite) -> AsyncIterator[Run]:
    wire = GuardedWire(GuardedTransport(site.policy), read_timeout_seconds=5)
    yield Run(site, Fetcher(wire, USER_AGENT, HostPacing(0.0), site.policy))
    await wire.aclose()


def show(site: LoopbackSite, folder: Path) -> None:
    """As a plain file server does."""
    for file in folder.rglob("*"):
        path = "/" + file.relative_to(folder).as_posix()
        if file.is_file():
            kind = "text/markdown" if file.suffix == ".md" else mimetypes.guess_type(file.name)[0]
            site.page(path, file.read_bytes(), content_type=kind or "application/octet-stream")
        if file.name == "index.html":
            site.page(path.removesuffix("index.html"), file.read_bytes())


async def cited_of(crawl: Run) -> dict[str, str]:
    """By path, where each page that was read is cited."""
    await crawl("/llms.txt", SeedKind.SITEMAP)
    read = [each for each in crawl.results if each.outcome is Outcome.FETCHED and each.page]
    origin = crawl.site.origin
    return {each.url.removeprefix(origin): each.page.canonical_url.removeprefix(origin) for each in read if each.page}


async def test_that_of_vitepress(site: LoopbackSite, crawl: Run, tmp_path: Path) -> None:
    with npm_project(*VITEPRESS_PACKAGES) as project:
        (project / "package.json").write_text('{"private": true, "type": "module"}')
        (project / ".vitepress").mkdir()
        (project / ".vitepress/config.mts").write_text(VITEPRESS.replace("ORIGIN", site.origin))
        (project / "index.md").write_text(INDEX)
        (project / "crane.md").write_text(CRANE)
        run(["../node_modules/.bin/vitepress", "build", "--outDir", str(tmp_path / "website")], project)
    show(site, tmp_path / "website")
    assert await cited_of(crawl) == {"/crane.md": "/crane.html"}
    [read] = [each.page for each in crawl.results if each.page]
    assert "40 tonnes" in read.markdown


async def test_that_of_mkdocs(site: LoopbackSite, crawl: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text(MKDOCS.replace("ORIGIN", site.origin))
    (tmp_path / "docs/index.md").write_text(INDEX)
    (tmp_path / "docs/crane.md").write_text(CRANE)
    run([str(python_programs() / "mkdocs"), "build", "--quiet"], tmp_path)
    show(site, tmp_path / "site")
    assert await cited_of(crawl) == {"/index.md": "/", "/crane/index.md": "/crane/"}

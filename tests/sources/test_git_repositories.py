"""The Markdown of a repository, read from a real Git server."""

import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import anyio
import pytest

from app.core.errors import InvalidInput
from app.providers.code import git_repository
from app.providers.code.git_repository import GitRemotes
from app.sources import kinds
from app.sources.listed import listed_reader
from app.sources.listed.listed_reader import ListedReader
from app.sources.runs.site_reader import QueuedPage, ReadPage
from app.sources.source import AccessKind, SourceAccess, SourceConfig, check_source
from crawler.address_policy import AddressPolicy
from crawler.fetch.fetcher import Fetcher
from crawler.fetch.guarded_transport import GuardedTransport, GuardedWire
from crawler.worker_processes import WorkerReady
from tests.doubles.fake_network import USER_AGENT
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.git_server import GitServer, running_git_server
from tests.doubles.loopback_site import LoopbackSite, running_site
from tests.doubles.scripted_site_reader import ScriptedSiteReader
from tests.every_row import every_row
from tests.sources.test_crawler_site_reader import MemoryPages, SameProcessExtractor
from tests.sources.test_help_centres import read, statuses

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

GUIDE = "---\ntitle: The guide\n---\n\nimport Tabs from '@theme/Tabs';\n\n## Begin\n\nPress the button for 3 seconds.\n"
PAY = "# Pay\n\nYou can pay by card or by invoice.\n"
FILES: dict[str, str | bytes | None] = {
    "docs/guide/start.mdx": GUIDE,
    "docs/pay.md": PAY,
    "docs/index.md": "# Welcome\n\nThis is where it begins.\n",
    "docs/logo.png": bytes(range(256)) * 800,
    "docs/.vitepress/notes.md": "# Hidden\n\nNobody sees this.\n",
    "README.md": "# Lamps\n\nThe source of the lamps.\n",
}


@pytest.fixture(params=[True, False], ids=["files left out", "all files at once"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GitServer]:
    with running_git_server(tmp_path, leaves_files_out=request.param) as running:
        running.commit(FILES)
        yield running


@pytest.fixture
def host(tmp_path: Path) -> Iterator[GitServer]:
    """One that leaves files out, as most do."""
    with running_git_server(tmp_path) as running:
        running.commit(FILES)
        yield running


async def reader_of(*servers: GitServer | LoopbackSite) -> AsyncIterator[ListedReader]:
    allowed = [("127.0.0.1", each.port) for each in servers]
    wire = GuardedWire(GuardedTransport(AddressPolicy(frozenset(allowed))))
    fetcher = Fetcher(wire, USER_AGENT, policy=AddressPolicy(frozenset(allowed)))
    async with GitRemotes(allowed, USER_AGENT) as remotes:
        yield ListedReader(ScriptedSiteReader({}), fetcher, remotes, SameProcessExtractor(), FixedClock())
    await wire.aclose()


def repository(server: GitServer, **more: object) -> SourceConfig:
    settings: dict[str, object] = {"page_url": "https://docs.example.com/{path_without_suffix}", "folder": "docs"}
    return SourceConfig(kinds.GIT, "Docs", server.url, **{**settings, **more})  # type: ignore[arg-type]


async def test_each_markdown_file_below_the_folder_is_a_page(server: GitServer) -> None:
    async for reader in reader_of(server):
        pages, summary = await read(reader, repository(server))
        assert summary.is_complete
        told = {url: page.content.title for url, page in pages.items() if page.content}
        assert told == {
            "https://docs.example.com/": "Welcome",
            "https://docs.example.com/guide/start": "The guide",
            "https://docs.example.com/pay": "Pay",
        }
        guide = pages["https://docs.example.com/guide/start"].content
        assert guide is not None
        assert "3 seconds" in guide.markdown
        assert "import" not in guide.markdown


async def test_files_that_nobody_wants_are_never_asked_for(host: GitServer) -> None:
    async for reader in reader_of(host):
        await read(reader, repository(host))
        tip, files = host.fetches()
        assert b"filter blob:none" in tip
        assert b"deepen 1" in tip
        assert files.count(b"want ") == 3


async def test_an_unchanged_commit_asks_for_no_file(host: GitServer) -> None:
    async for reader in reader_of(host):
        first, _ = await read(reader, repository(host))
        host.asked.clear()
        known = [QueuedPage(page.url, 0, page.etag) for page in first.values()]
        again, _ = await read(reader, repository(host), *known)
        assert {page.status for page in again.values()} == {"unchanged"}
        assert len(host.fetches()) == 1  # of folders


async def test_only_what_changed_is_read_and_what_was_deleted_is_gone(host: GitServer) -> None:
    async for reader in reader_of(host):
        first, _ = await read(reader, repository(host))
        host.commit({"docs/pay.md": f"{PAY}\nOr in cash.\n", "docs/index.md": None})
        host.asked.clear()
        known = [QueuedPage(page.url, 0, page.etag) for page in first.values()]
        again, _ = await read(reader, repository(host), *known)
        assert statuses(again) == {"": "gone", "start": "unchanged", "pay": "fetched"}
        assert host.fetches()[1].count(b"want ") == 1


async def test_globs_match_paths_in_the_repository(host: GitServer) -> None:
    async for reader in reader_of(host):
        pages, _ = await read(reader, repository(host, folder="", include=("/docs/*",), exclude=("*/guide/*",)))
        assert set(pages) == {"https://docs.example.com/docs/pay", "https://docs.example.com/docs"}


async def test_without_a_place_of_their_own_files_stand_on_the_repository_s_website(host: GitServer) -> None:
    async for reader in reader_of(host):
        pages, _ = await read(reader, repository(host, page_url="", include=("*/pay.md",)))
        assert list(pages) == [f"{host.origin}/docs/blob/main/docs/pay.md"]


async def test_a_branch_or_a_tag_is_read_instead_of_the_repository_s_own(host: GitServer) -> None:
    host.commit({"docs/next.md": "# Next\n\nWhat comes next.\n"}, branch="next")
    host.git("tag", "--annotate", "v2", "--message", "Version 2")
    host.git("push", "--quiet", "origin", "v2")
    async for reader in reader_of(host):
        for branch, has_it in {"next": True, "v2": True, "main": False, "": False}.items():
            pages, _ = await read(reader, repository(host, branch=branch))
            assert ("https://docs.example.com/next" in pages) is has_it


async def test_a_draft_is_left_out_and_says_why(host: GitServer) -> None:
    host.commit({"docs/pay.md": f"---\ntitle: Pay\ndraft: true\n---\n{PAY}"})
    async for reader in reader_of(host):
        pages, _ = await read(reader, repository(host))
        page = pages["https://docs.example.com/pay"]
        assert (page.status, page.reason) == ("noindex", "its front matter marks it as a draft")


@pytest.mark.parametrize(
    ("change", "reason"),
    [({"branch": "nowhere"}, "no branch or tag nowhere"), ({"folder": "help"}, "no folder help")],
)
async def test_what_the_repository_does_not_have_fails_the_reading(
    host: GitServer, change: dict[str, object], reason: str
) -> None:
    async for reader in reader_of(host):
        with pytest.raises(InvalidInput, match=reason):
            await read(reader, repository(host, **change))


async def test_a_token_opens_a_repository_and_goes_to_its_own_host_alone(host: GitServer, tmp_path: Path) -> None:
    host.password = "secret"
    access = SourceAccess(AccessKind.BASIC, "ann", "secret")
    (tmp_path / "other").mkdir()
    with running_git_server(tmp_path / "other") as other:
        other.commit(FILES)
        async for reader in reader_of(host, other):
            with pytest.raises(InvalidInput, match="401"):
                await read(reader, repository(host))
            pages, _ = await read(reader, repository(host), access=access)
            assert len(pages) == 3
            path = "/docs.git/info/refs?service=git-upload-pack"
            host.moved[path] = f"{other.origin}{path}"
            pages, _ = await read(reader, repository(host), access=access)
            assert len(pages) == 3
            assert set(other.tokens) == {""}


async def test_a_redirect_to_a_private_address_is_not_followed(host: GitServer) -> None:
    path = "/docs.git/info/refs?service=git-upload-pack"
    host.moved[path] = "http://127.0.0.1:1/docs.git/info/refs?service=git-upload-pack"
    async for reader in reader_of(host):
        with pytest.raises(InvalidInput, match="The list of pages could not be read"):
            await read(reader, repository(host))


async def test_what_is_no_repository_is_asked_once(host: GitServer) -> None:
    with running_site() as site:
        site.page("/docs.git/info/refs?service=git-upload-pack", "<p>Welcome</p>")
        async for reader in reader_of(site):
            with pytest.raises(InvalidInput, match="no Git repository answers there"):
                await read(reader, SourceConfig(kinds.GIT, "Docs", f"{site.origin}/docs.git"))
        assert len(site.asked) == 1


@every_row(
    ("field", "change"),
    [
        ("page_url", {"page_url": "https://docs.example.com/"}),
        ("folder", {"folder": "../etc"}),
        ("branch", {"kind": kinds.ZENDESK, "branch": "main", "page_url": ""}),
        ("folder", {"kind": kinds.SITE, "folder": "docs", "page_url": ""}),
    ],
)
def test_settings_that_make_no_sense_are_refused(field: str, change: dict[str, object]) -> None:
    config = {"kind": kinds.GIT, "name": "Docs", "url": "https://github.com/example/docs", **change}
    with pytest.raises(InvalidInput, match=field):
        check_source(SourceConfig(**config))  # type: ignore[arg-type]


def hang(pipe: Connection) -> None:
    """Takes a pack and never answers."""
    pipe.send(WorkerReady())
    pipe.recv()
    threading.Event().wait()


async def test_a_cancelled_run_ends_while_a_pack_is_unpacked(host: GitServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_repository, "serve_packs", hang)
    monkeypatch.setattr(listed_reader, "LOOK_SECONDS", 0.01)

    async def settle(page: ReadPage) -> None:
        raise AssertionError(page)

    async def is_cancelled() -> bool:
        return bool(host.fetches())

    with anyio.fail_after(120):
        async for reader in reader_of(host):
            summary = await reader.read(repository(host), MemoryPages(), settle, is_cancelled)
    assert (summary.stop_reason, summary.is_complete) == ("The reading was cancelled.", False)


async def test_a_pack_that_takes_too_long_fails_the_reading(host: GitServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_repository, "serve_packs", hang)
    monkeypatch.setattr(git_repository, "UNPACKING_SECONDS", 0.05)
    async for reader in reader_of(host):
        with pytest.raises(InvalidInput, match=r"unpacking what the repository sent took longer than 0\.05 s"):
            await read(reader, repository(host))

"""`docent source add-file`, `add-folder` and `add-git`: add a file, a folder of Markdown files, or the Markdown files
of a Git repository as a source."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote, urljoin, urlsplit
from uuid import UUID

import typer
import yaml

from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import open_knowledge, page_scope_on, source_files_on
from app.cli.local_operator import local_operator
from app.cli.sources.commands import commands
from app.cli.sources.run_now import agent_for, run_now
from app.cli.terminal import AgentName, Allow, AsJson, fail, run, settings_for
from app.core.errors import InvalidInput
from app.core.field_rules import check_http_url
from app.core.source_file import Upload
from app.settings import Settings
from app.sources.document_batches import MAX_LINES, DocumentBatches
from app.sources.files.records import FileRecords, GivenDocumentRecords
from app.sources.kinds import DOCUMENTS, GIT
from app.sources.records import SourceRecords
from app.sources.source import AccessKind, Source, SourceAccess, SourceConfig, check_source
from app.sources.source_editing import SourceAccesses, SourceEditing
from app.store.transaction import Transaction

_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_HEADING: Final = re.compile(r"^#[ \t]++(.*[^ \t#\n])", re.MULTILINE)
_SUFFIXES: Final = (".md", ".markdown")
_FOLDERS_OWN: Final = ("index", "_index", "readme")  # files with these names are the page of their folder


@commands.command("add-file")
async def add_file(
    path: Annotated[
        Path,
        typer.Argument(
            exists=True, dir_okay=False, readable=True, help="Markdown, HTML, text, PDF, DOCX, PPTX, XLSX or CSV."
        ),
    ],
    named: AgentName = None,
    name: Annotated[str, typer.Option(help="Shown in citations. Default: the file's title.")] = "",
    url: Annotated[str, typer.Option(help="The address that citations link to.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add a file as a source, or replace the source of a file with the same name."""
    upload = Upload(path.name, path.read_bytes())
    async with open_infrastructure(settings_for()) as base, open_knowledge(base) as knowledge:
        actor = await local_operator(base)
        files = source_files_on(base, knowledge.files)
        agent = await agent_for(base, knowledge, actor, named, name or path.stem)
        known = await _known(base, agent.id, path.name)
        if known is None:
            stored = await files.add(actor, agent.id, upload, name, url)
        else:
            stored = await files.replace(actor, known, upload)
            if name or url:
                config = stored.source.config
                wanted = replace(config, name=name or config.name, url=url or config.url)
                source = await SourceEditing(base.record, page_scope_on(base)).change(actor, known, lambda _: wanted)
                stored = replace(stored, source=source)
        if (await run_now(base, knowledge, actor, stored.source, as_json)).problem is not None:
            raise typer.Exit(1)


async def _known(base: Infrastructure, agent_id: UUID, name: str) -> UUID | None:
    """The id of the agent's source whose file is called `name`."""

    def work(tx: Transaction) -> UUID | None:
        for source in SourceRecords(tx).sources(agent_id):
            if source.config.kind.has_file and FileRecords(tx).facts(source.id).name == name:
                return source.id
        return None

    return await base.record.of_agent(agent_id).read(work)


_SHOWN: Final = 10  # refused files


@commands.command("add-folder")
async def add_folder(
    path: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A folder of Markdown files.")],
    url: Annotated[str, typer.Option(help="The address under which the pages' slugs and paths are published.")],
    named: AgentName = None,
    name: Annotated[str, typer.Option(help="Name of the source. Default: the folder's name.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add a folder of Markdown files with front matter (title, date, slug). Repeat the command after changes: it also
    removes files that are gone."""
    name = name or path.resolve().name
    try:
        check_http_url("--url", url)
        files = list(read_folder(path, url))
    except InvalidInput as error:
        fail(str(error), 2)
    if not files:
        fail(f"There are no Markdown files in {path}.", 2)
    async with open_infrastructure(settings_for()) as base, open_knowledge(base) as knowledge:
        actor = await local_operator(base)
        agent = await agent_for(base, knowledge, actor, named, name)
        source = await _source(base, agent.id, name)
        known = await base.record.of_agent(source.agent_id).read(lambda tx: GivenDocumentRecords(tx).urls(source.id))
        left = set(known) - {file.document["url"] for file in files}
        documents = [file.document for file in files] + [{"url": gone, "delete": True} for gone in sorted(left)]
        refused: list[str] = []
        for start in range(0, len(documents), MAX_LINES):
            lines = "\n".join(json.dumps(each) for each in documents[start : start + MAX_LINES])
            receipt = await DocumentBatches(base.record, None).put(actor, source.id, lines)
            refused += [
                f"{files[start + each.line - 1].path.relative_to(path)}: {each.reason}"
                for each in receipt.results
                if each.result == "refused"
            ]
        await run_now(base, knowledge, actor, source, as_json)
    if refused:
        more = f"\nand {len(refused) - _SHOWN} more" if len(refused) > _SHOWN else ""
        fail("\n".join(refused[:_SHOWN]) + more, 2)


async def _source(base: Infrastructure, agent_id: UUID, name: str) -> Source:
    """The agent's source of documents called `name`, which is created if there is none."""

    def work(tx: Transaction) -> Source:
        for source in SourceRecords(tx).sources(agent_id):
            if source.config.kind.takes_documents and source.config.name == name:
                return source
        return SourceRecords(tx).create(agent_id, SourceConfig(DOCUMENTS, name))

    return await base.record.of_agent(agent_id).write(work)


@commands.command("add-git")
def add_git(
    url: Annotated[str, typer.Argument(help="The repository's https:// address.")],
    branch: Annotated[str, typer.Option(help="A branch or tag. Default: the repository's default branch.")] = "",
    folder: Annotated[str, typer.Option(help="Only files in this folder, such as docs.")] = "",
    page_url: Annotated[
        str,
        typer.Option(
            help="Page of a file, such as https://docs.example.com/{path_without_suffix}. Default: where the "
            "repository's website shows the file."
        ),
    ] = "",
    include: Annotated[list[str] | None, typer.Option(help="Only paths that match, such as '/docs/*'.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No paths that match, such as '*/_*'.")] = None,
    user: Annotated[str, typer.Option(help="The token's user, if the host requires one.")] = "x-access-token",
    asks_token: Annotated[bool, typer.Option("--token", help="Ask for the token of a private repository.")] = False,
    agent: AgentName = None,
    name: Annotated[str, typer.Option(help="Name of the source. Default: the repository's name.")] = "",
    allow: Allow = None,
    as_json: AsJson = False,
) -> None:
    """Add the Markdown files of a Git repository. Repeat the command after changes: it reads only what has changed."""
    named = name or urlsplit(url).path.strip("/").removesuffix(".git") or url
    config = SourceConfig(
        GIT,
        named,
        url,
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        page_url=page_url,
        branch=branch,
        folder=folder,
    )
    token = typer.prompt("Token", hide_input=True, err=True) if asks_token else ""
    access = SourceAccess(AccessKind.BASIC, user, token) if token else None
    run(_add_git(settings_for(crawl_allow=allow), config, access, agent, as_json))


async def _add_git(
    settings: Settings, config: SourceConfig, access: SourceAccess | None, named: str | None, as_json: bool
) -> None:
    async with open_infrastructure(settings) as base, open_knowledge(base) as knowledge:
        try:
            check_source(config)
            page_scope_on(base).check(config)
        except InvalidInput as error:
            fail(str(error), 2)
        actor = await local_operator(base)
        agent = await agent_for(base, knowledge, actor, named, config.name)

        def work(tx: Transaction) -> Source:
            for source in SourceRecords(tx).sources(agent.id):
                if (source.config.kind, source.config.url) == (config.kind, config.url):
                    return SourceRecords(tx).save(agent.id, source.id, config)
            return SourceRecords(tx).create(agent.id, config)

        source = await base.record.of_workspace(actor.workspace_id).write(work)
        if access is not None:
            await SourceAccesses(base.record).set(actor, source.id, access)
        reading = await run_now(base, knowledge, actor, source, as_json)
    if reading.problem is not None:
        fail(f"{config.url} was not read: {reading.problem.rstrip('.')}.")


@dataclass(frozen=True, slots=True)
class MarkdownFile:
    """`document` has the fields of a line in a batch of documents."""

    path: Path
    document: dict[str, Any]


def read_folder(folder: Path, base: str) -> Iterator[MarkdownFile]:
    """The Markdown files of a static site generator's folder, sorted by path, without hidden files, drafts and empty
    ones. A page's address below `base` is its front matter's `url`, else its `slug`, else its path.

    Raises InvalidInput for a file that cannot be read, naming it.
    """
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in place.parts)
        if is_hidden or path.suffix.lower() not in _SUFFIXES or not path.is_file():
            continue
        try:
            front, text = _parted(path.read_text("utf-8-sig"))
        except (UnicodeDecodeError, yaml.YAMLError) as error:
            raise InvalidInput(str(place), f"This is not UTF-8 Markdown with YAML front matter ({error}).") from None
        if front.get("draft") is True or not text.strip():
            continue
        yield MarkdownFile(path, _document(front, text, place, base))


def _parted(text: str) -> tuple[Mapping[str, Any], str]:
    text = text.replace("\r\n", "\n")
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    front = yaml.safe_load(match[1])
    if front is not None and not isinstance(front, dict):
        raise yaml.YAMLError("it has no fields")
    return {str(name).lower(): value for name, value in (front or {}).items()}, text[match.end() :]


def _document(front: Mapping[str, Any], text: str, place: Path, base: str) -> dict[str, Any]:
    heading = _HEADING.search(text)
    fields = {
        "url": _url(front, place, base),
        "title": str(front.get("title") or (heading[1] if heading else place.stem)),
        "text": text,
        "date": _day(front),
        "language": front.get("language") or front.get("lang"),
        "attributes": {name: _values(value) for name, value in _attributes(front).items()},
    }
    return {name: value for name, value in fields.items() if value}


def _url(front: Mapping[str, Any], place: Path, base: str) -> str:
    path = place.parent / place.stem
    if place.stem.lower() in _FOLDERS_OWN:
        path = place.parent
    if slug := str(front.get("slug") or "").strip("/"):
        path = Path(slug) if str(front["slug"]).startswith("/") else path.parent / slug
    named = "" if path == Path() else quote(path.as_posix()) + "/"
    return urljoin(base.rstrip("/") + "/", str(front.get("url") or named))


def _day(front: Mapping[str, Any]) -> str:
    value = next((front[name] for name in ("lastmod", "updated", "date") if front.get(name)), "")
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)[:10]


def _attributes(front: Mapping[str, Any]) -> Mapping[str, Any]:
    given = front.get("attributes") or {}
    tags = {"tags": front["tags"]} if front.get("tags") else {}
    return {**tags, **given} if isinstance(given, dict) else tags


def _values(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]

"""The command: runs all checks, then prints them with the fix for each problem."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from app.bootstrap.adapters import configured_key_file
from app.bootstrap.infrastructure import open_infrastructure, pending_migrations
from app.cli.doctor.model_probe import probe_models
from app.cli.doctor.service_checks import Check, ServiceChecks, check_models
from app.cli.doctor.store_counts import store_counts
from app.cli.local_operator import known_agents, local_operator
from app.cli.serving.stream_check import StreamUnreadable, check_stream
from app.cli.sources.website_address import website_address
from app.cli.terminal import AsJson, fail, out, print_json, run, settings_for, table
from app.core.errors import IndexUnavailable
from app.knowledge.unread_languages import UnreadLanguages
from app.providers.indexes.lancedb_tables import present_bytes
from app.settings import Settings

_MIB: Final = 1024**2
_ROOM_MIB: Final = 512  # for pages, uploads and logs that are still to come
_OTHERS_RIGHTS: Final = 0o077
_LISTED: Final = 3


def check_data_folder(settings: Settings) -> Check:
    """Check owner and mode of the files: this account can neither write nor protect files of another account."""
    folder = settings.data.resolve()
    strangers = [path for path in _files(folder) if _owner(path) not in (os.getuid(), None)]
    state = f"{folder}, owned by account {folder.stat().st_uid}, mode {folder.stat().st_mode & 0o777:o}"
    if strangers:
        some = ", ".join(str(path) for path in strangers[:_LISTED])
        more = f" and {len(strangers) - _LISTED} more" if len(strangers) > _LISTED else ""
        problem = (
            f"Data folder: {some}{more} belong to another account, such as one that ran a command as root. "
            f"Change the owner: chown -R {os.getuid()}:{os.getgid()} {folder}"
        )
        return Check("data folder", state, problem)
    key_file = settings.secret_key_file  # has a check of its own
    opened = [path for path in _files(folder) if path != key_file and _is_open_to_others(path)]
    if opened:
        return Check(
            "data folder",
            state,
            f"Data folder: other accounts may read {opened[0]} ({len(opened)} files). "
            f"Remove their access: chmod -R go= {folder}",
        )
    return Check("data folder", state)


def check_disk(settings: Settings) -> Check:
    """Check that the vectors fit on the disk twice, because compaction and `purge` rewrite them before deleting."""
    folder = settings.data.resolve()
    free = shutil.disk_usage(folder).free // _MIB
    held = sum(_size(path) for path in _files(folder)) // _MIB
    vectors = sum(_size(path) for path in _files(folder / "vectors")) // _MIB if (folder / "vectors").exists() else 0
    wanted = _ROOM_MIB + vectors
    state = f"{held} MiB in use, {free} MiB free"
    if free >= wanted:
        return Check("disk", state)
    return Check(
        "disk",
        state,
        f"Disk: {free} MiB are free on the disk of {folder}, and {wanted} are needed ({vectors} of them to rewrite the "
        "vectors). Free some space, or move the folder to a larger disk (DOCENT_DATA).",
    )


async def check_vectors(settings: Settings) -> Check | None:
    """Report how much space old versions of the vectors take; None if no vectors are stored in a folder."""
    folder = Path(settings.vector_uri)
    held = 0 if "://" in settings.vector_uri else sum(_size(path) for path in _files(folder))
    if not held:
        return None
    try:
        old = max(0, held - await present_bytes(folder))
    except IndexUnavailable as error:
        return Check("vectors", "cannot be read", f"Vectors: {error}")
    frees = "a worker frees them within two hours of the last write"
    return Check("vectors", f"{held // _MIB} MiB, of which {old // _MIB} are old versions; {frees}")


def _files(folder: Path) -> Iterator[Path]:
    yield folder
    yield from folder.rglob("*")


def _owner(path: Path) -> int | None:
    try:
        return path.lstat().st_uid
    except FileNotFoundError:  # another process has deleted it meanwhile
        return None


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0


def _is_open_to_others(path: Path) -> bool:
    """Only for files: an open folder reveals nothing if its files are protected."""
    try:
        return path.is_file() and not path.is_symlink() and bool(path.lstat().st_mode & _OTHERS_RIGHTS)
    except FileNotFoundError:
        return False


def doctor(
    stream: Annotated[
        str, typer.Option(help="Instead, check whether a proxy in front of the server at this URL buffers answers.")
    ] = "",
    model: Annotated[
        bool, typer.Option("--model", help="Instead, measure how long visitors wait for the chat models.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check everything that answers depend on: database, queue, workers, indexes, Redis, object store, models, disk,
    clock. Exit code 1 if something is wrong; the output says how to fix it."""
    if stream:
        run(_doctor_of_stream(website_address(stream), as_json))
    else:
        run(_doctor_of_models(settings_for(), as_json) if model else _doctor(settings_for(), as_json))


async def _doctor(settings: Settings, as_json: bool) -> None:
    agents: list[dict[str, Any]] = []
    findings: list[str] = []
    notes: list[str] = []
    is_new = not settings.database_url and not settings.data.exists()
    migrated = [] if is_new else await pending_migrations(settings)
    async with open_infrastructure(settings) as base:
        actor = await local_operator(base)
        for agent in await known_agents(base, actor):
            counts = await store_counts(base.record, base.indexes, agent.id)
            agents.append({"id": str(agent.id), "name": agent.draft.name, **asdict(counts)})
            findings += [f"{agent.draft.name}: {finding}" for finding in counts.findings()]
            unread = await UnreadLanguages(base.record, base.models.embedder).languages(actor, agent.id)
            notes += [f"{agent.draft.name}: {language}" for language in unread]
        vectors = await check_vectors(settings)
        checks = [check_data_folder(settings), check_disk(settings), *([vectors] if vectors else [])]
        checks += await ServiceChecks(base, migrated).checks()
        models = await check_models(base)
    if "://" in settings.vector_uri and settings.keywords == "shared":
        notes.append(
            "Vectors are in an object store, but keywords in the data folder. If several machines answer, set "
            "DOCENT_KEYWORDS=own on each."
        )
    findings += [check.problem for check in checks if check.problem]
    findings += [check.problem for check in models if check.problem]
    notes += [check.note for check in checks if check.note]
    key_file = configured_key_file(settings)
    if key_file and key_file.is_open_to_others():
        findings.append(f"Other accounts may read {settings.secret_key_file}: chmod 600 {settings.secret_key_file}")
    key_place = str(settings.secret_key_file) if key_file else "DOCENT_SECRET_KEY"
    lines = [*(check.in_words() for check in checks), *(check.in_words() for check in models)]
    if as_json:
        print_json(
            {
                "healthy": not findings,
                "findings": findings,
                "notes": notes,
                "agents": agents,
                "checks": [asdict(check) for check in checks],
                "models": [asdict(check) for check in models],
                "secrets_sealed_by": key_place,
                "settings": settings.shown(),
            }
        )
    else:
        _show(agents, [*lines, f"Secrets are sealed with the key in {key_place}.", *notes], findings)
    if findings:
        raise typer.Exit(1)


def _show(agents: list[dict[str, Any]], lines: list[str], findings: list[str]) -> None:
    counted = ("documents", "chunks", "vectors", "keywords")
    out.print(table(("agent", *counted), ((row["name"], *(row[key] for key in counted)) for row in agents)))
    for line in lines:
        out.print(line, highlight=False, soft_wrap=True, markup=False)
    out.print("\n".join(findings) or "No problems found.", highlight=False, markup=False, soft_wrap=True)


async def _doctor_of_models(settings: Settings, as_json: bool) -> None:
    async with open_infrastructure(settings) as base:
        probed = await probe_models(base)
    if not probed:
        fail("No chat model is set. Set DOCENT_MODEL_URL and DOCENT_MODEL_NAME.")
    problems = [each.problem for each in probed if each.problem]
    if as_json:
        print_json({"healthy": not problems, "models": [asdict(each) for each in probed]})
    else:
        for line in [*(line for each in probed for line in each.in_words()), *problems]:
            out.print(line, highlight=False, soft_wrap=True, markup=False)
    if problems:
        raise typer.Exit(1)


async def _doctor_of_stream(url: str, as_json: bool) -> None:
    try:
        report = await check_stream(url)
    except StreamUnreadable as error:
        fail(f"{error} Enter the address that the widget uses, such as https://docent.example.com.")
    if as_json:
        print_json({"live": report.is_live, **asdict(report)})
    else:
        out.print(report.in_words(), highlight=False, soft_wrap=True)
    if not report.is_live:
        raise typer.Exit(1)

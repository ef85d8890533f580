"""What /metrics says where several web processes share a port: each tells its own on a Unix socket, and whichever is
asked collects them, with a label `process` that has their numbers."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families

from app.web.health import Exposition, exposition_of

# One that hangs, or is just starting, is left out.
_PATIENCE_SECONDS: Final = 1.0


@asynccontextmanager
async def told_by_all(own: CollectorRegistry, place: Path) -> AsyncIterator[Exposition]:
    """Until the block is left `own` is told at `place`, whose name is the process's number, and the others in its
    folder are collected by what is given. Where the folder cannot have sockets, each process tells its own alone."""

    own_text = exposition_of(own)

    async def tell(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await own_text())
        writer.close()

    async def all_of_them() -> bytes:
        others = [other for other in sorted(place.parent.glob("*.sock")) if other != place]
        texts = await asyncio.gather(own_text(), *map(_asked, others))
        told = {each.stem: text for each, text in zip((place, *others), texts, strict=True) if text}
        return await asyncio.to_thread(_together, told)

    _forget(place)  # of the one that died
    try:
        server = await asyncio.start_unix_server(tell, place)
    except OSError:
        yield own_text
        return
    try:
        yield all_of_them
    finally:
        server.close()
        _forget(place)


def _forget(place: Path) -> None:
    place.unlink(missing_ok=True)


async def _asked(place: Path) -> bytes:
    """Empty where nobody answers."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            reader, writer = await asyncio.open_unix_connection(place)
            try:
                return await reader.read()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return b""


def _together(texts: Mapping[str, bytes]) -> bytes:
    """A family once, however many processes have it, as the format wants it."""
    families: dict[str, Metric] = {}
    for process, text in sorted(texts.items()):
        for family in text_string_to_metric_families(text.decode()):
            kept = families.setdefault(family.name, Metric(family.name, family.documentation, family.type))
            kept.samples += [sample._replace(labels={"process": process} | sample.labels) for sample in family.samples]
    return generate_latest(_Collected(families.values()))


class _Collected(CollectorRegistry):
    def __init__(self, families: Iterable[Metric]) -> None:
        super().__init__()
        self._families = families

    def collect(self) -> Iterator[Metric]:
        yield from self._families

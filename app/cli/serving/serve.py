"""`docent serve`: one web process, or several behind one port. Only the modules of the chosen mode are imported."""

from typing import Annotated

import typer

from app.cli.serving.listening import Member
from app.cli.terminal import run, settings_for
from app.kit.process_limits import share_arenas


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 picks one.")] = None,
    processes: Annotated[
        int | None,
        typer.Option(help="Number of web processes. Several share a Redis: yours, or one started with them."),
    ] = None,
    with_worker: Annotated[
        bool, typer.Option("--with-worker", help="Also run a worker, and restart it if it stops.")
    ] = False,
    limit_header_bytes: Annotated[int | None, typer.Option(help="Maximum size of a request's headers.")] = None,
    limit_headers: Annotated[int | None, typer.Option(help="Maximum number of headers in a request.")] = None,
    limit_header_seconds: Annotated[float | None, typer.Option(help="Time allowed for the headers to arrive.")] = None,
    limit_body_seconds: Annotated[float | None, typer.Option(help="Time allowed for the body to arrive.")] = None,
    limit_connections: Annotated[int | None, typer.Option(help="Maximum open connections per process.")] = None,
    limit_connections_per_address: Annotated[int | None, typer.Option(help="Maximum from one address.")] = None,
    member: Annotated[str | None, typer.Option(hidden=True)] = None,
) -> None:
    """Serve the widget and the API."""
    share_arenas()
    options = {
        "host": host,
        "port": port,
        "processes": processes,
        "limit_header_bytes": limit_header_bytes,
        "limit_headers": limit_headers,
        "limit_header_seconds": limit_header_seconds,
        "limit_body_seconds": limit_body_seconds,
        "limit_connections": limit_connections,
        "limit_connections_per_address": limit_connections_per_address,
    }
    settings = settings_for(is_service=True, **options)
    if member is None and settings.processes > 1:
        from app.cli.serving.web_processes import serve_by_many

        run(serve_by_many(settings, {name: value for name, value in options.items() if value is not None}, with_worker))
    else:
        from app.cli.serving.web_server import serve_alone

        run(serve_alone(settings, with_worker, Member.read(member) if member else None))

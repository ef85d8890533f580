"""The script tag that a website pastes, in its two forms."""

from uuid import UUID

from app.web.widget_script import SCRIPT_PATH, BuiltFile, pinned_path


def embed_tag(base: str, agent_id: UUID | str) -> str:
    """Always the newest widget. `base` is where this Docent can be reached."""
    return f'<script async src="{base.rstrip("/")}{SCRIPT_PATH}" data-agent="{agent_id}"></script>'


def pinned_embed_tag(base: str, agent_id: UUID | str, script: BuiltFile) -> str:
    """This script and no other: the browser refuses a byte that differs, and Docent serves it until it is upgraded."""
    return (
        f'<script async src="{base.rstrip("/")}{pinned_path(script)}" integrity="{script.integrity}" '
        f'crossorigin="anonymous" data-agent="{agent_id}"></script>'
    )

"""The script tag that a website pastes, in its two forms."""

from html import escape
from uuid import UUID

from app.agents.agent import Theme
from app.web.widget_script import SCRIPT_PATH, BuiltFile, pinned_path

_PLAIN = Theme()


def embed_tag(base: str, agent_id: UUID | str, theme: Theme = _PLAIN) -> str:
    """Always the newest widget. `base` is where this Docent can be reached; `theme` is what the launcher wears before
    the widget has asked anything."""
    source = f'src="{base.rstrip("/")}{SCRIPT_PATH}"'
    return f'<script async {source} data-agent="{agent_id}"{_worn(theme)}></script>'


def pinned_embed_tag(base: str, agent_id: UUID | str, script: BuiltFile, theme: Theme = _PLAIN) -> str:
    """This script and no other: the browser refuses a byte that differs, and Docent serves it until it is upgraded."""
    return (
        f'<script async src="{base.rstrip("/")}{pinned_path(script)}" integrity="{script.integrity}" '
        f'crossorigin="anonymous" data-agent="{agent_id}"{_worn(theme)}></script>'
    )


def _worn(theme: Theme) -> str:
    """As attributes, whatever differs from the widget's own looks."""
    worn = {
        "color": theme.primary_color,
        "position": theme.position if theme.position != _PLAIN.position else None,
        "label": theme.launcher_label,
        "icon": theme.launcher_icon if theme.launcher_icon != _PLAIN.launcher_icon else None,
        "picture": theme.picture_fingerprint if theme.launcher_icon == "picture" else None,
        "wide": "true" if theme.opens_wide else None,
        "open": "true" if theme.opens_itself else None,
    }
    return "".join(f' data-{name}="{escape(value)}"' for name, value in worn.items() if value)

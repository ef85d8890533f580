"""The script tags for websites, in their two forms."""

from html import escape
from pathlib import Path
from uuid import UUID

from app.agents.agent import AgentConfig
from app.agents.widget_settings import Theme
from app.web.widget_script import SCRIPT_PATH, BuiltFile, pinned_path

_PLAIN = Theme()
_INVITATIONS = "invite"


def embed_tags(base: str, agent_id: UUID, config: AgentConfig, pinned: Path | None = None) -> str:
    """The widget's tag and, if the agent has invitations, that of their script, one per line. `pinned` is the folder
    with the scripts to pin the tags to; None for unpinned tags."""
    tag = embed_tag(base, agent_id, config.theme)
    if pinned:
        tag = pinned_embed_tag(base, agent_id, BuiltFile.read(pinned / "widget.js"), config.theme)
    if not config.invitations:
        return tag
    if not pinned:
        return f"{tag}\n{_tag(base, f'/widget/{_INVITATIONS}.js', '', agent_id, _PLAIN)}"
    invite = BuiltFile.read(pinned / f"{_INVITATIONS}.js")
    return f"{tag}\n{_tag(base, pinned_path(invite, _INVITATIONS), _checked(invite), agent_id, _PLAIN)}"


def embed_tag(base: str, agent_id: UUID | str, theme: Theme = _PLAIN) -> str:
    """The tag that always loads the newest widget. `base` is the address of this server, `theme` the launcher's
    appearance until the widget has loaded its settings."""
    return _tag(base, SCRIPT_PATH, "", agent_id, theme)


def pinned_embed_tag(base: str, agent_id: UUID | str, script: BuiltFile, theme: Theme = _PLAIN) -> str:
    """The tag that loads only this version of the script: the browser refuses other bytes, and Docent serves it until
    the next upgrade."""
    return _tag(base, pinned_path(script), _checked(script), agent_id, theme)


def _tag(base: str, path: str, checked: str, agent_id: UUID | str, theme: Theme) -> str:
    source = f'src="{base.rstrip("/")}{path}"{checked}'
    return f'<script async {source} data-agent="{agent_id}"{_worn(theme)}></script>'


def _checked(script: BuiltFile) -> str:
    return f' integrity="{script.integrity}" crossorigin="anonymous"'


def _worn(theme: Theme) -> str:
    """The attributes for everything that differs from the widget's defaults."""
    attributes = {
        "color": theme.primary_color,
        "position": theme.position if theme.position != _PLAIN.position else None,
        "label": theme.launcher_label,
        "icon": theme.launcher_icon if theme.launcher_icon != _PLAIN.launcher_icon else None,
        "picture": theme.picture_fingerprint if theme.launcher_icon == "picture" else None,
        "wide": "true" if theme.opens_wide else None,
        "open": "true" if theme.opens_itself else None,
    }
    return "".join(f' data-{name}="{escape(value)}"' for name, value in attributes.items() if value)

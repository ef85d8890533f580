"""Pages as HTML, with the headers that keep them to themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import escape
from starlette.responses import HTMLResponse

from app.agents.agent import Agent
from app.providers.chat.model_health import ModelAlert
from app.web.console.filters import FILTERS, ago
from app.web.console.menu import MenuItem, menu_of, picked
from app.web.console.page import Rejected, Shown, Visit
from app.web.console.session_cookie import csrf_token
from app.web.static_files import StaticFiles

_TEMPLATES = Path(__file__).parent / "templates"
# No inline script or style anywhere: what a visitor wrote can never become either.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class FormView:
    """What a template's fields show: as it was sent where it was refused, else what the template says.

    Whoever may not send the form is shown values in the place of fields."""

    name: str
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)
    is_rejected: bool = False
    is_open: bool = True

    def value(self, name: str, default: object = "") -> str:
        if self.is_rejected:
            return "\n".join(self.values.get(name, ()))
        return "" if default is None else str(default)

    def holds(self, name: str, value: object, default: bool = False) -> bool:
        """Whether a box is ticked or an option chosen."""
        return str(value) in self.values.get(name, ()) if self.is_rejected else default

    def error(self, name: str) -> str:
        return self.errors.get(name, "")


class Rendering:
    def __init__(self, files: StaticFiles) -> None:
        self._files = files

    def page(
        self,
        visit: Visit[Any],
        shown: Shown,
        agents: Sequence[Agent],
        flash: tuple[str, str] | None,
        waiting: Mapping[str, int],
        model_alert: ModelAlert | None,
    ) -> HTMLResponse:
        """`agents` are those to pick from, `waiting` is how much waits on a page, by its name.
        `model_alert` stands on every page that an operator sees."""
        rejected = shown.form or visit.rejected
        menu: Sequence[MenuItem] = menu_of(visit, agents, waiting)
        told = {
            "visit": visit,
            "operator": visit.operator_or_none,
            "agent": visit.agent_or_none,
            "agents": agents,
            "menu": menu,
            "in_line": waiting.get("live", 0),
            "flash": flash,
            "model_alert": model_alert,
            "picks": lambda each: picked(visit, each),
            "csrf_token": csrf_token(visit.secret),
            "url": visit.url,
            "static": lambda name: visit.root_path + self._files.url(name),
            "may": lambda scope: visit.caller is not None and visit.actor.may(scope),
            "ago": lambda then: ago(then, visit.now),
            **shown.values,
        }

        def drawn(rejected: Rejected | None, refused: str = "") -> str:
            form = partial(_form_view, rejected=rejected)
            return _templates().get_template(shown.template).render({**told, "form": form, "refused": refused})

        text = drawn(rejected)
        if rejected and (unsaid := _unsaid(rejected, text)):
            # The page has no field for it, perhaps not even the form any more.
            text = drawn(replace(rejected, errors={**rejected.errors, "": unsaid}))
            if str(escape(unsaid)) not in text:
                text = drawn(rejected, unsaid)
        return HTMLResponse(text, shown.status, HEADERS)


@cache
def _templates() -> Environment:
    """One for the process: compiling a template takes many times as long as drawing it."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment


def _unsaid(rejected: Rejected, text: str) -> str:
    """What is wrong and stands nowhere on the page."""
    return " ".join(
        dict.fromkeys(
            message
            for name, message in rejected.errors.items()
            if (f'id="{rejected.page}-{name}-wrong"' if name else str(escape(message))) not in text
        )
    )


def _form_view(name: str, is_open: bool = True, *, rejected: Rejected | None) -> FormView:
    if rejected is None or rejected.page != name:
        return FormView(name, is_open=is_open)
    return FormView(name, rejected.values, rejected.errors, is_rejected=True)

from pathlib import Path

import pytest
from pydantic import ValidationError

from app.settings import Settings


def test_a_browser_for_rendering_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="there is no program at /nowhere/chromium"):
        Settings.model_validate({"render_browser": "/nowhere/chromium"})
    program = tmp_path / "chromium"
    program.touch()
    assert Settings.model_validate({"render_browser": str(program)}).render_browser == str(program)


def test_rendering_needs_playwright(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "chromium"
    program.touch()
    monkeypatch.setattr("app.settings.find_spec", lambda _: None)
    with pytest.raises(ValidationError, match=r"pip install 'docent\[render\]'"):
        Settings.model_validate({"render_browser": str(program)})

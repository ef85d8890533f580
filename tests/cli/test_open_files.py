import resource

import pytest

from app.cli.serving.open_files import connections_that_fit


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "fit", "raised_to"),
    [
        pytest.param(20_000, 20_000, 2000, 2000, None, id="enough as it is"),
        pytest.param(1024, 524_288, 2000, 2000, 2256, id="raised"),
        pytest.param(256, resource.RLIM_INFINITY, 2000, 2000, 2256, id="raised, without a hard limit"),
        pytest.param(1024, 1024, 2000, 768, 1024, id="fewer, for it may not be raised"),
        pytest.param(256, 400, 2000, 200, 400, id="half of very few"),
        pytest.param(resource.RLIM_INFINITY, resource.RLIM_INFINITY, 2000, 2000, None, id="no limit"),
    ],
)
def test_connections_leave_files_for_the_rest(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, wanted: int, fit: int, raised_to: int | None
) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: told.append(limits))
    assert connections_that_fit(wanted) == fit
    assert told == ([] if raised_to is None else [(raised_to, hard)])

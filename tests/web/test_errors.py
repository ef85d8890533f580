"""No error of ours reaches a caller without a code, a status and a way out."""

import pytest
from starlette.exceptions import HTTPException

from app.core import errors
from app.core.errors import DocentError, InvalidInput, NotFound, RateLimited, Unavailable
from app.web.errors import STATUS_OF_CODE, problem_of
from tests.every_row import every_row


def every_error(kind: type[DocentError] = DocentError) -> list[type[DocentError]]:
    found = []
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            found += [child, *every_error(child)]
    return found


def an(kind: type[DocentError]) -> DocentError:
    if issubclass(kind, InvalidInput):
        return kind("name", "Write one.")
    if issubclass(kind, NotFound):
        return kind("agent")
    if issubclass(kind, RateLimited):
        return kind("Wait.", 7)
    return kind("Do this.")


@every_row("kind", every_error())
def test_every_error_of_the_tree_has_its_code(kind: type[DocentError]) -> None:
    problem = problem_of(an(kind))
    assert problem.code in STATUS_OF_CODE
    assert problem.message.endswith(".")


def test_what_is_away_is_not_named_to_visitors() -> None:
    problem = problem_of(Unavailable("postgres at 10.0.0.3 refused"))
    assert problem.code == "unavailable"
    assert "postgres" not in problem.message
    assert problem.headers["Retry-After"]


def test_a_limit_says_when_to_come_back() -> None:
    assert problem_of(RateLimited("Wait.", 7)).headers == {"Retry-After": "7"}
    assert problem_of(RateLimited("Wait.", 7, (20, 60))).headers == {
        "Retry-After": "7", "RateLimit-Policy": '"default";q=20;w=60', "RateLimit": '"default";r=0;t=7'
    }  # fmt: skip


def test_the_wrong_method_names_the_right_ones() -> None:
    problem = problem_of(HTTPException(405, headers={"Allow": "GET, POST"}))
    assert problem.code == "method_not_allowed"
    assert "GET, POST" in problem.message


def test_what_we_did_not_raise_on_purpose_is_raised_on() -> None:
    with pytest.raises(KeyError):
        problem_of(KeyError("x"))

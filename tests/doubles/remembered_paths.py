"""Routes as every test makes them: the expression of a path is compiled once.

A server makes its routes once. A test opens an application of its own, of hundreds of routes.
"""

from functools import cache

from starlette import routing


def remember_paths() -> None:
    """Of all routes that this process makes from now on."""
    routing.compile_path = cache(routing.compile_path)

"""Where a function runs: what takes long must leave the event loop's thread."""

import importlib
import threading
from typing import Any

import pytest


def threads_of(patch: pytest.MonkeyPatch, module: str, function: str) -> set[int]:
    """Grows by the id of each thread in which the module's function is called from now on."""
    called_in: set[int] = set()
    original = getattr(importlib.import_module(module), function)

    def noted(*args: Any, **options: Any) -> Any:
        called_in.add(threading.get_ident())
        return original(*args, **options)

    patch.setattr(f"{module}.{function}", noted)
    return called_in

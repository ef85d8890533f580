"""Takes what Docent never loads out of the installed packages, and compiles what it imports.

The Dockerfile runs this with the Python of these packages, installed without compiled files.
"""

import ast
import compileall
import ctypes
import os
import shutil
import sys
import sysconfig
from importlib import import_module
from pathlib import Path
from types import ModuleType

PACKAGES = Path(sysconfig.get_path("purelib"))
OURS = ("app", "crawler")
EXTRAS = {"playwright"}  # of `docent[browser]`, which the image does not have
UNUSED = (
    # What is only needed to build on a package, or to test it.
    *(f"**/*.{ending}" for ending in ("a", "c", "cpp", "h", "hpp", "pxd", "pxi", "pyi", "pyx")),
    *("*/tests", "numpy/**/tests", "pyarrow/src", "numpy/distutils", "numpy/f2py", "sqlalchemy/testing"),
    # Arrow's RPC, its object stores (LanceDB has its own), and copies of a library by the names that linkers look for.
    *(f"pyarrow/*{name}*" for name in ("flight", "s3", "azurefs", "gcsfs", "hdfs", "cpp_tests")),
    *("pyarrow/libarrow_python*.so", "pyarrow/libarrow_python*.so.*.*"),
    # ONNX Runtime for programs in C, and its tools for training.
    *("onnxruntime/capi/libonnxruntime.so*", "onnxruntime/datasets", "onnxruntime/quantization", "onnxruntime/tools"),
    "onnxruntime/transformers",
    # Names of languages and places: trafilatura's crawler would ask for them, and Docent has its own.
    "babel/locale-data/*",
    # Fonts and picture formats. A reader of slides imports Pillow, and Docent opens no pictures.
    *(f"PIL/_{name}.*" for name in ("avif", "imagingcms", "imagingft", "webp")),
    *(f"pillow.libs/lib{name}*" for name in ("avif", "brotli", "freetype", "harfbuzz", "lcms2", "webp")),
)


def remove_unused() -> None:
    for pattern in UNUSED:
        found = list(PACKAGES.glob(pattern))
        if not found:
            sys.exit(f"Nothing to leave out is named {pattern}.")
        for path in found:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def try_to_load_libraries() -> None:
    """Loads each in a process of its own, as some cannot be loaded beside others."""
    for path in PACKAGES.rglob("*.so*"):
        if (process := os.fork()) == 0:
            try:
                ctypes.CDLL(os.fspath(path), mode=os.RTLD_NOW)
            except OSError as refused:
                sys.stderr.write(f"{refused}\n")
                os._exit(1)
            os._exit(0)
        if os.waitpid(process, 0)[1] != 0:
            sys.exit(f"{path} cannot be loaded.")


def compile_imports() -> None:
    """Compiles all of Docent. Of other packages, Python compiles what Docent's import statements load; half of their
    modules stay as source."""
    for name in OURS:
        if not compileall.compile_dir(PACKAGES / name, quiet=1):
            sys.exit(f"{name} cannot be compiled.")
        for path in (PACKAGES / name).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Import):
                    for imported in node.names:
                        load(imported.name)
                elif isinstance(node, ast.ImportFrom) and node.module:
                    module = load(node.module)
                    for imported in node.names:
                        if module and not hasattr(module, imported.name):
                            load(f"{node.module}.{imported.name}")


def load(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in EXTRAS:
            raise
        return None


if __name__ == "__main__":
    remove_unused()
    try_to_load_libraries()
    compile_imports()

"""LanceDB is imported without a client that Docent does not use, and without checking itself."""

import subprocess
import sys

_REPORT = """
import sys
import app.providers.indexes.lancedb_vector_index
client = [name for name in sys.modules if name.startswith("lance_namespace_urllib3_client")]
ours = [finder for finder in sys.meta_path if type(finder).__module__ == "app.providers.indexes.lancedb_tables"]
print(len(client), "urllib3" in sys.modules, len(ours))
"""


def test_the_client_of_rest_catalogues_stays_out() -> None:
    """Placeholders stand in for it, of no file; what finds them is gone when LanceDB is imported."""
    told = subprocess.run([sys.executable, "-c", _REPORT], capture_output=True, text=True, check=True)
    placeholders, has_http_client, finders = told.stdout.split()
    assert (has_http_client, finders) == ("False", "0")
    assert int(placeholders) < 20


def test_others_get_the_package_that_checks_what_overrides() -> None:
    """LanceDB's methods stay as they are written, and who imports the package later has the real one."""
    report = """
import app.providers.indexes.lancedb_vector_index
import overrides
from lancedb.db import LanceDBConnection
print(hasattr(overrides, "final"), hasattr(LanceDBConnection.table_names, "__override__"))
"""
    told = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["True", "False"]

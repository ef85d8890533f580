"""LanceDB is imported without a client that Docent does not use."""

import subprocess
import sys

_REPORT = """
import sys
import app.providers.indexes.lancedb_vector_index
client = [name for name in sys.modules if name.startswith("lance_namespace_urllib3_client")]
print(len(client), "urllib3" in sys.modules, len(sys.meta_path))
"""


def test_the_client_of_rest_catalogues_stays_out() -> None:
    """Placeholders stand in for it, of no file; what finds them is gone when LanceDB is imported."""
    before = subprocess.run(
        [sys.executable, "-c", "import sys; print(len(sys.meta_path))"], capture_output=True, text=True, check=True
    )
    told = subprocess.run([sys.executable, "-c", _REPORT], capture_output=True, text=True, check=True)
    placeholders, has_http_client, finders = told.stdout.split()
    assert (has_http_client, finders) == ("False", before.stdout.strip())
    assert int(placeholders) < 20

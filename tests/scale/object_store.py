"""An object store that speaks S3, for the tests: moto's server."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import EndpointConnectionError

from tests.nemesis.docent_processes import free_port

REGION, KEY, SECRET = "eu-north-1", "key", "secret"


@dataclass(frozen=True)
class ObjectStore:
    """With one bucket. `options` are what LanceDB is told, and `setting` the same for DOCENT_VECTORS_OPTIONS."""

    url: str
    bucket: str = "docent"

    @property
    def options(self) -> dict[str, str]:
        return {
            "endpoint": self.url,
            "allow_http": "true",
            "region": REGION,
            "aws_access_key_id": KEY,
            "aws_secret_access_key": SECRET,
        }

    @property
    def setting(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.options.items())

    def object_keys(self, prefix: str = "") -> list[str]:
        """Of what lies in it below `prefix`, up to 1,000."""
        found = self._client().list_objects_v2(Bucket=self.bucket, Prefix=prefix)
        return [each["Key"] for each in found.get("Contents", [])]

    def make_bucket(self) -> None:
        self._client().create_bucket(Bucket=self.bucket, CreateBucketConfiguration={"LocationConstraint": REGION})

    def _client(self) -> Any:
        return boto3.client(
            "s3", endpoint_url=self.url, region_name=REGION, aws_access_key_id=KEY, aws_secret_access_key=SECRET
        )


@contextmanager
def running_object_store() -> Iterator[ObjectStore]:
    port = free_port()
    store = ObjectStore(f"http://127.0.0.1:{port}")
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        server = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            while True:
                assert server.poll() is None, "moto's server did not start"
                try:
                    store.make_bucket()
                    break
                except EndpointConnectionError:
                    continue
            yield store
        finally:
            server.kill()
            server.wait()

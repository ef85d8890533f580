# One image, one command: the web process with its worker beside it, everything in /data.
ARG BASE=python:3.11-slim-bookworm@sha256:fe556eaffd0d96abd8685b83bb8a69addd0dc730fa193669a7df0d49ddcfac02

FROM ${BASE} AS build
WORKDIR /src
RUN apt-get update && apt-get install -y --no-install-recommends binutils
COPY requirements.lock ./
RUN python -m venv /opt/docent \
 && /opt/docent/bin/pip install --no-cache-dir --no-compile --require-hashes --only-binary=:all: -r requirements.lock
COPY pyproject.toml README.md LICENSE THIRD_PARTY_NOTICES.md ./
COPY app app
COPY crawler crawler
COPY widget widget
# Tokenizers downloads none of its vocabularies from Hugging Face here.
RUN /opt/docent/bin/pip install --no-cache-dir --no-compile --no-deps --no-build-isolation . \
 && /opt/docent/bin/pip uninstall --yes hatchling pathspec pluggy trove-classifiers \
    huggingface-hub hf-xet fsspec filelock setuptools pip
COPY deploy/slim_packages.py ./
# Libraries that auditwheel put beside a package keep their symbols: it moved their segments, and strip would misplace these.
RUN find /opt/docent \( -name '*.so' -o -name '*.so.[0-9]*' \) -not -path '*.libs/*' -exec strip --strip-unneeded {} + \
 && /opt/docent/bin/python slim_packages.py

FROM ${BASE} AS runtime
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libgomp1 \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --system --gid 10001 docent \
 && useradd --system --no-create-home --home-dir /data --uid 10001 --gid 10001 docent \
 && install -d -o docent -g docent /data
COPY --from=build /opt/docent /opt/docent
ENV PATH=/opt/docent/bin:$PATH DOCENT_DATA=/data DOCENT_HOST=0.0.0.0 DOCENT_PORT=8000 DOCENT_LOG_FORMAT=json
LABEL org.opencontainers.image.title="Docent" \
      org.opencontainers.image.description="Answers a website's visitors from that website, with citations." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.2.0"
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['DOCENT_PORT'] + '/readyz', timeout=2)"]
CMD ["docent", "serve", "--with-worker"]

# For platforms that mount a volume as root's, such as Fly: hands /data over, then goes on without root's rights.
FROM runtime AS rootvolume
ENTRYPOINT ["sh", "-c", "chown docent:docent /data; exec setpriv --reuid=docent --regid=docent --init-groups \"$@\"", "--"]
CMD ["docent", "serve", "--with-worker"]

FROM runtime
USER 10001:10001

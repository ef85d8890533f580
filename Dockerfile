# One image, one command: the web process with its worker beside it, everything in /data.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements.lock ./
RUN python -m venv /opt/docent \
 && /opt/docent/bin/pip install --no-cache-dir --require-hashes --only-binary=:all: -r requirements.lock
COPY pyproject.toml README.md LICENSE THIRD_PARTY_NOTICES.md ./
COPY app app
COPY crawler crawler
COPY widget widget
RUN /opt/docent/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim-bookworm
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libgomp1 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --create-home --uid 10001 docent \
 && install -d -o docent -g docent /data
COPY --from=build /opt/docent /opt/docent
ENV PATH=/opt/docent/bin:$PATH DOCENT_DATA=/data DOCENT_HOST=0.0.0.0 DOCENT_PORT=8000 DOCENT_LOG_FORMAT=json
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
# Volumes are often mounted as root's: hand /data over, then go on without root's rights.
ENTRYPOINT ["sh", "-c", "[ \"$(id -u)\" != 0 ] && exec \"$@\"; chown docent:docent /data; exec setpriv --reuid=docent --regid=docent --init-groups \"$@\"", "--"]
CMD ["docent", "serve", "--with-worker"]

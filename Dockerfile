# One image for web, worker and beat; compose.yaml says which is which.
# To pin the image that a tag names today, add the digest printed by `docker buildx imagetools inspect`:
# python:3.13-slim-bookworm@sha256:…
ARG PYTHON=python:3.13-slim-bookworm
FROM ${PYTHON}

WORKDIR /srv/ebb
COPY requirements.txt ./
RUN pip install --no-cache-dir --no-deps --require-hashes --only-binary :all: -r requirements.txt
COPY . .

# Files that are built once and may be built again: the embedding graph, static files, the secret key.
# A numeric user lets Kubernetes check that it is not root.
RUN useradd --system --uid 10001 ebb && install -d -o ebb /var/lib/ebb
USER 10001
# Each container has its own metrics and heartbeats, so they are not in the shared volume.
ENV EBB_DATA_DIR=/var/lib/ebb EBB_RUN_DIR=/tmp/ebb EBB_HOST=0.0.0.0 PYTHONUNBUFFERED=1
EXPOSE 8000

CMD ["uvicorn", "config.asgi:application", "--host", "0.0.0.0", "--port", "8000", \
     "--loop", "uvloop", "--http", "httptools", "--lifespan", "on", "--no-access-log", \
     "--timeout-graceful-shutdown", "5"]

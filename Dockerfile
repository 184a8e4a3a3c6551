# One image for web, worker and beat; compose.yaml says which is which.
FROM python:3.13-slim

WORKDIR /srv/ebb
COPY requirements.txt .
RUN pip install --no-cache-dir --no-deps -r requirements.txt
COPY . .

# Files that are built once and may be built again: the embedding graph, static files, the secret key.
RUN useradd --system ebb && install -d -o ebb /var/lib/ebb
USER ebb
ENV EBB_DATA_DIR=/var/lib/ebb EBB_HOST=0.0.0.0 PYTHONUNBUFFERED=1
EXPOSE 8000

CMD ["uvicorn", "config.asgi:application", "--host", "0.0.0.0", "--port", "8000", \
     "--loop", "uvloop", "--http", "httptools", "--lifespan", "on", "--no-access-log", \
     "--timeout-graceful-shutdown", "5"]

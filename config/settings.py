"""All settings of Ebb. Only this module reads the environment.

docs/configuration.md describes each variable; a test compares the two. Secrets may also come from a
file: NAME_FILE=/run/secrets/name replaces NAME.
"""

from pathlib import Path
from typing import Any

import environ
from csp.constants import SELF

from config.admin_looks import UNFOLD as UNFOLD
from config.broker import pgmq_address
from config.database import connection_options, database_entry
from config.environment import Environment
from config.local_files import database_url, secret_key

BASE_DIR = Path(__file__).resolve().parent.parent


env = Environment()
# The environment has priority over .env.
environ.Env.read_env(BASE_DIR / ".env")

# --- Paths and addresses ----------------------------------------------------------------------

EBB_DATA_DIR = Path(env.text("EBB_DATA_DIR", str(BASE_DIR / ".ebb"))).resolve()
EBB_CACHE_DIR = EBB_DATA_DIR / "cache"
EBB_HOST = env.text("EBB_HOST", "127.0.0.1")
EBB_PORT = env.whole("EBB_PORT", 8000, most=65_535)
EBB_DEMO_DATA = env.yes("EBB_DEMO_DATA", default=True)
# Ebb's address for a browser on this machine, which cannot connect to a wildcard address.
_reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(EBB_HOST, EBB_HOST)  # noqa: S104 - compared, not bound
EBB_URL = (
    f"http://[{_reachable}]:{EBB_PORT}" if ":" in _reachable else f"http://{_reachable}:{EBB_PORT}"
)

DEBUG = env.yes("DEBUG", default=False)
SECRET_KEY = env.text("SECRET_KEY") or secret_key(EBB_DATA_DIR)
ALLOWED_HOSTS = [
    "localhost",
    "127.0.0.1",
    "[::1]",
    EBB_HOST,
    *env.hosts("EBB_ALLOWED_HOSTS"),
]
CSRF_TRUSTED_ORIGINS = env.origins("EBB_TRUSTED_ORIGINS")
# Set if a proxy in front of Ebb uses TLS: cookies are then sent over https only.
EBB_HTTPS = env.yes("EBB_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = EBB_HTTPS
if EBB_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_REFERRER_POLICY = "same-origin"

# --- Database and queue -----------------------------------------------------------------------

# If unset, the embedded PostgreSQL in EBB_DATA_DIR is used; `make up` starts it.
EBB_EMBEDDED_POSTGRES = not env.text("DATABASE_URL")
DATABASE_URL = env.text("DATABASE_URL") or database_url(EBB_DATA_DIR)
DATABASES = {"default": database_entry(DATABASE_URL)}
DATABASES["default"]["OPTIONS"] = connection_options(
    DATABASES["default"], most=env.whole("EBB_DB_POOL", 10, most=1000)
)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# pgmq:// without an address means a queue inside DATABASE_URL.
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", "pgmq://")
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "conn_string": pgmq_address(DATABASE_URL),
        "init_extension": False,
        "use_notify": True,
        "wait_time_seconds": 0,
        "notify_throttle_interval_ms": 0,
        # A dead worker's message is delivered again after this; the row's lease decides which
        # worker may write.
        "visibility_timeout": 60,
        "pool_timeout": 5,
    }
    if CELERY_BROKER_URL.startswith("pgmq:")
    else {}
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "ebb"
CELERY_WORKER_PREFETCH_MULTIPLIER = 4
# Threads: an assessment mostly waits for a model, and one process is easier to stop.
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = env.whole("EBB_WORKER_THREADS", 4, most=1000)
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BEAT_SCHEDULE_FILENAME = str(EBB_DATA_DIR / "beat-schedule")


def _every(seconds: float, task: str) -> dict[str, Any]:
    """Return a schedule entry. Its tasks expire, so that they do not accumulate without
    a worker.
    """
    return {"task": task, "schedule": seconds, "options": {"expires": seconds}}


CELERY_BEAT_SCHEDULE = {
    "pick up assessments": _every(5.0, "assessor.tasks.pick_up_assessments"),
    "pick up jobs": _every(5.0, "memory.tasks.pick_up_jobs"),
    "collect webhooks": _every(5.0, "memory.tasks.collect_webhooks"),
    "sweep": _every(300.0, "memory.tasks.sweep_all_spaces"),
}

# --- Models -----------------------------------------------------------------------------------

OPENAI_API_KEY = env.text("OPENAI_API_KEY")
OPENAI_BASE_URL = env.text("OPENAI_BASE_URL")
EBB_CHAT_MODEL = env.text("EBB_CHAT_MODEL", "gpt-4o-mini")
EBB_ASSESSOR_MODEL = env.text("EBB_ASSESSOR_MODEL") or EBB_CHAT_MODEL
# USD per million tokens. If unset, an assessment's cost is unknown.
EBB_PRICE_PROMPT = env.price("EBB_PRICE_PROMPT")
EBB_PRICE_COMPLETION = env.price("EBB_PRICE_COMPLETION")
EBB_EMBEDDING_PROVIDER = env.text("EBB_EMBEDDING_PROVIDER", "local")
EBB_EMBEDDING_MODEL = env.text("EBB_EMBEDDING_MODEL") or {
    "openai": "text-embedding-3-small",
    "voyage": "voyage-3.5",
}.get(EBB_EMBEDDING_PROVIDER, "all-MiniLM-L6-v2")
# If unset, the model's own answer decides.
EBB_EMBEDDING_DIMENSIONS = env.whole_or_none("EBB_EMBEDDING_DIMENSIONS", most=100_000)
# Chat and embeddings often come from different endpoints. The chat's key is not sent to an
# embedding endpoint with its own address.
EBB_EMBEDDING_BASE_URL = env.text("EBB_EMBEDDING_BASE_URL")
EBB_EMBEDDING_API_KEY = env.text("EBB_EMBEDDING_API_KEY")
if not (EBB_EMBEDDING_BASE_URL or EBB_EMBEDDING_API_KEY):
    EBB_EMBEDDING_BASE_URL, EBB_EMBEDDING_API_KEY = OPENAI_BASE_URL, OPENAI_API_KEY
VOYAGE_API_KEY = env.text("VOYAGE_API_KEY")
VOYAGE_BASE_URL = env.text("VOYAGE_BASE_URL")

# The variables set for models, and whether by a file: for the page that shows each value's origin.
EBB_MODEL_VARIABLES = {
    name: env.source(name)
    for name in (
        "OPENAI_API_KEY", "OPENAI_BASE_URL", "EBB_CHAT_MODEL", "EBB_ASSESSOR_MODEL",
        "EBB_EMBEDDING_PROVIDER", "EBB_EMBEDDING_MODEL", "EBB_EMBEDDING_BASE_URL",
        "EBB_EMBEDDING_API_KEY", "VOYAGE_API_KEY", "VOYAGE_BASE_URL",
    )
    if env.text(name)
}  # fmt: skip

# --- The application --------------------------------------------------------------------------

INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "config.apps.EbbAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "ninja",
    "config",
    "memory",
    "assessor",
    "chat",
]
# Each middleware supports async and sync; one that does not would put each streamed reply on its
# own thread.
MIDDLEWARE = [
    "config.request_ids.request_ids",
    "config.head.head_as_get",
    "django.middleware.security.SecurityMiddleware",
    "config.compression.CompressedPages",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.languages.PagesInTheirLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.errors.api_problems",
]
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.navigation.rail",
            ],
        },
    }
]

# --- Users ------------------------------------------------------------------------------------

AUTH_USER_MODEL = "memory.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "sesame.backends.ModelBackend",
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
# Login links work once (use changes last_login, which signs them) and for one day.
SESAME_ONE_TIME = True
SESAME_MAX_AGE = 24 * 3600
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Allows webhooks to private networks, for a receiver beside Ebb.
EBB_WEBHOOKS_PRIVATE = env.yes("EBB_WEBHOOKS_PRIVATE", default=False)

# A batch of 1,000 memories arrives in one request.
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 2**20

# --- Language, time, files --------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600  # for people who chose another language than the browser's
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"
STATIC_ROOT = EBB_DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.storage.StaticFilesStorage"},
}

# --- Content-Security-Policy ------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": [SELF],
        "frame-ancestors": ["'none'"],
    },
    # The admin uses a third party's inline scripts; only the admin has a policy of its own
    # (config.admin_site).
}
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

LOG_LEVEL = env.one_of("EBB_LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), "INFO")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{levelname} {name}: {message}", "style": "{"}},
    "filters": {
        # "Not ready yet" is a normal answer; frequent probes would fill the log with it.
        "not_a_probe": {
            "()": "django.utils.log.CallbackFilter",
            "callback": lambda record: "/api/v1/health/" not in record.getMessage(),
        }
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["not_a_probe"],
        }
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "httpx2": {"level": "WARNING"},
        "kombu": {"level": "ERROR"},
        # kombu warns about each pgmq:// URL without a host, such as ours.
        "kombu.connection": {"level": "ERROR"},
        "mcp": {"level": "WARNING"},
        "pgmq": {"level": "WARNING"},
    },
}

"""All settings of Ebb. Only this module reads the environment.

docs/configuration.md describes each variable; a test compares the two. Secrets may also come from a
file: NAME_FILE=/run/secrets/name replaces NAME.
"""

import os
from pathlib import Path
from urllib.parse import urlsplit

import environ

from config.admin.looks import UNFOLD as UNFOLD
from config.environment import Environment
from config.middleware.content_security import CONTENT_SECURITY_POLICY as CONTENT_SECURITY_POLICY
from config.schedule import BEAT
from config.sign_in import *  # noqa: F403 - each of its names is a setting of django-allauth
from operations.broker import listen_address, transport_options
from operations.database import connection_options, database_entry, is_shared
from operations.local_files import database_url, secret_key
from operations.monitoring.logs import FORMATS, log_settings

BASE_DIR = Path(__file__).resolve().parent.parent

env = Environment()
# The folder of .env and .ebb. The command `ebb` sets it to the current folder.
EBB_HOME = Path(env.text("EBB_HOME", str(BASE_DIR)))
# The environment has priority over .env.
environ.Env.read_env(EBB_HOME / ".env")

# --- Paths and addresses ----------------------------------------------------------------------

EBB_DATA_DIR = (EBB_HOME / env.text("EBB_DATA_DIR", ".ebb")).resolve()
# Files of this host's running processes: their metrics, and when worker and beat were last alive.
EBB_RUN_DIR = (EBB_HOME / env.text("EBB_RUN_DIR", str(EBB_DATA_DIR / "run"))).resolve()
EBB_HOST = env.text("EBB_HOST", "127.0.0.1")
EBB_PORT = env.whole("EBB_PORT", 8000, most=65_535)
EBB_DEMO_DATA = env.yes("EBB_DEMO_DATA", default=True)
# Ebb's address for programs on this machine, which cannot connect to a wildcard address.
_reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(EBB_HOST, EBB_HOST)  # noqa: S104 - compared, not bound
LOCAL_URL = (
    f"http://[{_reachable}]:{EBB_PORT}" if ":" in _reachable else f"http://{_reachable}:{EBB_PORT}"
)

# Web processes of `make up`.
EBB_WEB_PROCESSES = env.whole("EBB_WEB_PROCESSES", min(os.cpu_count() or 1, 4), most=100)

DEBUG = env.yes("DEBUG", default=False)
SECRET_KEY = env.text("SECRET_KEY") or secret_key(EBB_DATA_DIR)
# Previous keys, which still open sealed keys and sessions after a change of SECRET_KEY.
SECRET_KEY_FALLBACKS = env.several("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", EBB_HOST, *env.hosts("EBB_ALLOWED_HOSTS")]
CSRF_TRUSTED_ORIGINS = env.origins("EBB_TRUSTED_ORIGINS")
# Ebb's address in the links that it prints and mails.
EBB_URL = next((origin for origin in CSRF_TRUSTED_ORIGINS if "*" not in origin), LOCAL_URL)
EBB_CORS_ORIGINS = env.origins("EBB_CORS_ORIGINS")
# Set if a proxy in front of Ebb uses TLS: cookies are then sent over https only.
EBB_HTTPS = env.yes("EBB_HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = EBB_HTTPS
if EBB_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
# Pages are redirected. Programs on the same network call the APIs over http, as probes do.
SECURE_SSL_REDIRECT = EBB_HTTPS
SECURE_REDIRECT_EXEMPT = [r"^(api|v1|mem0)/", r"^metrics$"]
SECURE_REFERRER_POLICY = "same-origin"

# --- Database and queue -----------------------------------------------------------------------

# If unset, the embedded PostgreSQL in EBB_DATA_DIR is used; `make up` starts it.
EBB_EMBEDDED_POSTGRES = not env.text("DATABASE_URL")
DATABASE_URL = env.text("DATABASE_URL") or database_url(EBB_DATA_DIR)
DATABASES = {"default": database_entry(DATABASE_URL)}
EBB_DB_POOL = env.whole("EBB_DB_POOL", 10, most=1000)
DATABASES["default"]["OPTIONS"] = connection_options(DATABASES["default"], most=EBB_DB_POOL)
EBB_SHARED_CONNECTIONS = is_shared(DATABASES["default"])
# Encrypts new backups, and decrypts old ones (operations.backup.encryption).
EBB_BACKUP_PASSPHRASE = env.text("EBB_BACKUP_PASSPHRASE")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", "pgmq://")
LISTEN_ADDRESS = listen_address(CELERY_BROKER_URL, DATABASE_URL, shared=EBB_SHARED_CONNECTIONS)
CELERY_BROKER_TRANSPORT_OPTIONS = transport_options(CELERY_BROKER_URL, DATABASE_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "ebb"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Threads, because an assessment mostly waits for a model without a database connection, and one
# process is easier to stop. The pool starts a thread only if no other is free. A space gets half.
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_CONCURRENCY = 200
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_BEAT_SCHEDULER = "config.celery:ReportingScheduler"
CELERY_BEAT_SCHEDULE_FILENAME = str(EBB_DATA_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = BEAT

# --- Models -----------------------------------------------------------------------------------

OPENAI_API_KEY = env.text("OPENAI_API_KEY")
OPENAI_BASE_URL = env.text("OPENAI_BASE_URL")
EBB_CHAT_MODEL = env.text("EBB_CHAT_MODEL", "gpt-4o-mini")
EBB_ASSESSOR_MODEL = env.text("EBB_ASSESSOR_MODEL") or EBB_CHAT_MODEL
# Allows model connections to private addresses, such as an Ollama on this machine.
EBB_PRIVATE_ENDPOINTS = env.yes("EBB_PRIVATE_ENDPOINTS", default=True)
# USD per million tokens of the prompt and of the answer. If unset, an assessment's cost is unknown.
EBB_PRICES = env.prices("EBB_PRICES")
EBB_EMBEDDING_PROVIDER = env.text("EBB_EMBEDDING_PROVIDER", "local")
EBB_EMBEDDING_MODEL = env.text("EBB_EMBEDDING_MODEL") or {
    "openai": "text-embedding-3-small",
    "voyage": "voyage-3.5",
}.get(EBB_EMBEDDING_PROVIDER, "all-MiniLM-L6-v2")
# Chat and embeddings often come from different endpoints. The chat's key is not sent to an
# embedding endpoint with its own address.
EBB_EMBEDDING_BASE_URL = env.text("EBB_EMBEDDING_BASE_URL")
EBB_EMBEDDING_API_KEY = env.text("EBB_EMBEDDING_API_KEY")
if not (EBB_EMBEDDING_BASE_URL or EBB_EMBEDDING_API_KEY):
    EBB_EMBEDDING_BASE_URL, EBB_EMBEDDING_API_KEY = OPENAI_BASE_URL, OPENAI_API_KEY
VOYAGE_API_KEY = env.text("VOYAGE_API_KEY")
VOYAGE_BASE_URL = env.text("VOYAGE_BASE_URL")

# The variables set for models, and whether by a file: for the page that shows each value's origin.
MODEL_VARIABLES = {
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
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "operations",
    "accounts",
    "memory",
    "assessor",
    "chat",
]
# Each middleware supports async and sync; one that does not would put each streamed reply on its
# own thread.
MIDDLEWARE = [
    "foundation.http.request_ids.request_ids",
    "endpoints.programs.program_requests",
    "config.middleware.head.head_as_get",
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.headers.private_answers",
    "config.middleware.compression.CompressedPages",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.middleware.languages.PagesInTheirLanguage",
    "config.middleware.time_zones.time_zones",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "endpoints.errors.BusyPages",
    "endpoints.errors.api_problems",
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
                "config.pages.navigation.rail",
            ],
        },
    }
]

# --- Users ------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "sesame.backends.ModelBackend",
]
PASSWORD_HASHERS = ["accounts.sign_in.password_hashers.QueuedArgon2"]
# Login links work once (use changes last_login, which signs them) and for one day.
SESAME_ONE_TIME = True
SESAME_MAX_AGE = 24 * 3600
SESAME_TOKENS = ["sesame.tokens_v2"]  # the older format has no age to read
# Off: users log in at the identity provider only, or by a link of `manage.py login_link`.
EBB_LOCAL_LOGIN = env.yes("EBB_LOCAL_LOGIN", default=True)
# The organisation's identity provider (accounts.views.oidc); off without an issuer.
EBB_OIDC_ISSUER = env.address("EBB_OIDC_ISSUER")
EBB_OIDC_CLIENT_ID = env.text("EBB_OIDC_CLIENT_ID")
EBB_OIDC_CLIENT_SECRET = env.text("EBB_OIDC_CLIENT_SECRET")
EBB_OIDC_NAME = env.text("EBB_OIDC_NAME") or urlsplit(EBB_OIDC_ISSUER).hostname or ""
EBB_OIDC_SCOPES = env.text("EBB_OIDC_SCOPES", "openid profile email")
EBB_OIDC_CREATE_USERS = env.yes("EBB_OIDC_CREATE_USERS", default=True)
EBB_OIDC_GROUPS_CLAIM = env.text("EBB_OIDC_GROUPS_CLAIM", "groups")
EBB_OIDC_ROLES = env.group_roles("EBB_OIDC_ROLES")
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

# Allows webhooks to private networks, for a receiver beside Ebb.
EBB_WEBHOOKS_PRIVATE = env.yes("EBB_WEBHOOKS_PRIVATE", default=False)

# Expensive calls per minute of one key or one person (accounts.limits.rate_limits).
EBB_RATES = {
    "search": 30_000,
    "explain": 6000,
    "assess": 3000,
    "lab": 600,
    "preview": 600,
    "export": 60,
}
# All processes share the default cache, in which django-allauth counts attempts and used codes.
# Above MAX_ENTRIES, Django deletes expired entries, then one in CULL_FREQUENCY of the others. Here
# that is none: otherwise attempts from many addresses would delete the counts.
_CACHE, _MOST = "django.core.cache.backends", {"MAX_ENTRIES": 100_000}
CACHES = {
    "default": {
        "BACKEND": f"{_CACHE}.db.DatabaseCache",
        "LOCATION": "ebb_cache",
        "OPTIONS": {**_MOST, "CULL_FREQUENCY": 10**9},
    },
    "process": {"BACKEND": f"{_CACHE}.locmem.LocMemCache", "OPTIONS": _MOST},
}

# Mail to owners (assessor.outbox.notices); off without a host.
EMAIL_HOST = env.text("EMAIL_HOST")
EMAIL_PORT = env.whole("EMAIL_PORT", 587, most=65_535)
EMAIL_USE_TLS = env.yes("EMAIL_USE_TLS", default=True)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD")
EMAIL_TIMEOUT = 10  # seconds
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", EMAIL_HOST_USER or "ebb@localhost")

# A batch of 1,000 memories arrives in one request.
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 2**20

# --- Language, time, files --------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["config.formats"]
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

MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# --- Observability ----------------------------------------------------------------------------

# A worker answers Prometheus at this port; unset, the web process exports its metrics if both run
# on one host.
EBB_METRICS_PORT = env.whole_or_none("EBB_METRICS_PORT", most=65_535)
# Without a token, anyone who can reach /metrics can read it.
EBB_METRICS_TOKEN = env.text("EBB_METRICS_TOKEN")

LOGGING = log_settings(
    level=env.one_of("EBB_LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), "INFO"),
    entry=FORMATS[env.one_of("EBB_LOG_FORMAT", tuple(FORMATS), "LINE")],
)

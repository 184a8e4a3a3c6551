"""The packages of the product, and those of them with tables."""

PACKAGES = (
    "config",
    "operations",
    "endpoints",
    "chat",
    "assessor",
    "memory",
    "accounts",
    "foundation",
)
WITH_TABLES = ("accounts", "memory", "assessor", "chat")

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
    "reader",
)
WITH_TABLES = ("accounts", "memory", "assessor", "chat")

"""The operations as a Django app, for their management commands."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    """The app of everything that starts, watches, saves and restores an installation."""

    name = "operations"

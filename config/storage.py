"""Static files with a hash in their names, so that browsers may keep them for ever."""

from servestatic.storage import CompressedManifestStaticFilesStorage


class StaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # servestatic has no types
    """Gives the plain name where `collectstatic` has not run: in tests and in commands."""

    def stored_name(self, name: str) -> str:
        try:
            stored: str = super().stored_name(name)
        except ValueError:
            return name
        return stored

"""Static files with a hash in their names, so that browsers may cache them forever."""

from servestatic.storage import CompressedManifestStaticFilesStorage


class StaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # servestatic has no types
    """Uses plain names if `collectstatic` has not run, as in tests and commands."""

    def stored_name(self, name: str) -> str:
        """Return the hashed name, or the plain name if there is no manifest entry."""
        try:
            stored: str = super().stored_name(name)
        except ValueError:
            return name
        return stored

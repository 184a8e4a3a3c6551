"""Static files with a hash in their names, so that browsers may keep them for ever."""

from servestatic.storage import CompressedManifestStaticFilesStorage


class StaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Falls back to the plain name where `collectstatic` has not run: in tests and commands."""

    manifest_strict = False

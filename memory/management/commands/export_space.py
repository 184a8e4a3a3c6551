"""`manage.py export_space`: write everything in a space as JSON Lines, to a file or a pipe."""

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Space
from foundation.readers import EVERYONE
from memory.jobs.progress import ProgressLine, shown
from memory.transfer.export import count_rows, export_lines


class Command(BaseCommand):
    """Export a space."""

    help = "Export a space as JSON Lines. Progress goes to standard error."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--space", required=True, help="the space's short name")
        parser.add_argument("file", nargs="?", help="target file; default: standard output")

    def handle(self, *args: Any, space: str, file: str | None, **options: Any) -> None:
        found = Space.objects.select_related("embedder").filter(slug=space).first()
        if found is None:
            raise CommandError(_("There is no space named %(name)s.") % {"name": space})
        if file is None:
            self._write(found, self.stdout)  # type: ignore[arg-type]  # it writes as a stream does
            return
        # The file gets its final name only when it is complete.
        draft = Path(f"{file}.part")
        try:
            with draft.open("w", encoding="utf-8") as stream:
                self._write(found, stream)
            draft.replace(file)
        except OSError as error:
            raise CommandError(str(error)) from None
        finally:
            draft.unlink(missing_ok=True)

    def _write(self, space: Space, stream: TextIO) -> None:
        total, done, began = count_rows(space, EVERYONE) + 2, 0, timezone.now()

        def look(line: ProgressLine) -> None:
            line.show(done, total, _left(began, done, total))

        with shown(look, sys.stderr):
            for text in export_lines(space, EVERYONE, now=began):
                stream.write(text)
                done += 1


def _left(began: datetime, done: int, total: int) -> timedelta | None:
    return (timezone.now() - began) * max(0, total - done) / done if done else None

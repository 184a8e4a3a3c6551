"""`manage.py switch_embedder`: move a space to another embedding model, with progress.

A worker does the job: interrupting this command does not stop it.
"""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import Space
from foundation.actors import SYSTEM
from foundation.errors import EbbError
from memory.embeddings import PROVIDERS, EmbeddingError, switching
from memory.jobs.durations import how_long
from memory.jobs.progress import ProgressLine
from memory.models import Job, JobState

_EVERY = 0.3  # seconds


class Command(BaseCommand):
    """Move a space to another embedding model."""

    help = (
        "Move a space to another embedding model. Search uses the old one until the move is done."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--space", required=True, help="the space's short name")
        parser.add_argument("--provider", choices=PROVIDERS)
        parser.add_argument("--model", help="the provider's name for the model")
        instead = parser.add_mutually_exclusive_group()
        instead.add_argument(
            "--cancel", action="store_true", help="cancel the move and keep the current model"
        )
        instead.add_argument("--resume", action="store_true", help="continue a stopped run")

    def handle(self, *args: Any, space: str, cancel: bool, resume: bool, **options: Any) -> None:
        found = Space.objects.select_related("embedder").filter(slug=space).first()
        if found is None:
            raise CommandError(_("There is no space named %(name)s.") % {"name": space})
        try:
            if cancel:
                switching.cancel_switch(space=found, now=timezone.now())
                self.stdout.write(_("%(space)s was not changed.") % {"space": found})
                return
            if resume:
                job = switching.resume_switch(space=found, now=timezone.now())
            else:
                job = self._started(found, options["provider"], options["model"])
        except (EbbError, EmbeddingError) as error:
            raise CommandError(str(error)) from None
        self._watch(job)

    def _started(self, space: Space, provider: str | None, model: str | None) -> Job:
        if not (provider and model):
            raise CommandError(_("Name a model with --provider and --model."))
        trial = switching.try_embedder(space=space, provider=provider, model=model)
        answer = _("%(model)s answered: %(dimensions)d dimensions, %(ms)d ms.") % {
            "model": trial.embedder,
            "dimensions": trial.embedder.dimensions,
            "ms": trial.took_ms,
        }
        memories = ngettext("%(n)d memory", "%(n)d memories", trial.memories) % {
            "n": trial.memories
        }
        self.stdout.write(f"{answer} {memories}, {how_long(trial.estimate)}.")
        return switching.start_switch(
            space=space, embedder=trial.embedder, actor=SYSTEM, now=timezone.now()
        )

    def _watch(self, job: Job) -> None:
        """Show the progress until the job has ended. Ctrl-C stops only the display."""
        line = ProgressLine()
        try:
            while not job.is_finished:
                time.sleep(_EVERY)
                job.refresh_from_db()
                line.show(job.done, job.total, job.left(timezone.now()))
        except KeyboardInterrupt:
            line.end()
            self.stdout.write(
                _("The move continues without this command. Use --cancel to stop it.")
            )
            return
        line.end()
        if job.state != JobState.DONE:
            raise CommandError(job.error or job.get_state_display())
        space = Space.objects.select_related("embedder").get(pk=job.space_id)
        self.stdout.write(
            _("%(space)s now uses %(model)s.") % {"space": space, "model": space.embedder}
        )

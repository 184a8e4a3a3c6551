"""Pages: the first minutes in a space: things to try, the sample memories and the checklist."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.models import Space
from accounts.pages import PageRequest, space_page
from chat.first_steps import steps as first_steps
from memory.memories.samples import clear_samples, samples_in


def things_to_try(space: Space) -> dict[str, Any]:
    """Return the context of templates/chat/_try.html: three messages, and the number of sample
    memories."""
    samples = samples_in(space).live().count()
    about_samples = _("Where does Mara keep her bees?")
    return {
        "samples": samples,
        "suggestions": [
            _("I'm allergic to penicillin, and I moved to Lisbon in March."),
            about_samples if samples else _("Where do I live?"),
            _("What do you know about me?"),
        ],
    }


@require_GET
@space_page("write")
def steps(request: PageRequest, access: Access) -> HttpResponse:
    """Render the checklist. Its page requests it again until all is done."""
    found = first_steps.first_steps(access.space, request.user, access.actor.name)
    context = {"steps": found, "all_done": all(step.is_done for step in found)}
    return render(request, "chat/_steps.html", context)


@require_POST
@space_page("write")
def hide(request: PageRequest, access: Access) -> HttpResponse:
    """Remove the checklist from this person's pages."""
    first_steps.hide_first_steps(user=request.user, now=timezone.now())
    return HttpResponse()


@require_POST
@space_page("write")
def clear(request: PageRequest, access: Access) -> HttpResponse:
    """Move the sample memories to the bin and offer to undo it."""
    actor = access.actor.in_action()
    n = clear_samples(space=access.space, actor=actor, now=timezone.now())
    said = ngettext(
        "%(n)d sample memory moved to the bin.", "%(n)d sample memories moved to the bin.", n
    )
    context = things_to_try(access.space) | {
        "said": said % {"n": n},
        "undo_url": reverse("memories_undo", args=[access.space.slug, actor.action_id]),
    }
    return render(request, "chat/_try.html", context)

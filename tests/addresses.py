"""Every page of Ebb, found from its URL configuration: nobody has to list a new one here.

What an address needs (`memory_id`) is taken from the rows that are there,
one of each state, until the address answers with a page. One that cannot be reached so is told.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Protocol
from uuid import uuid4

from django.apps import apps
from django.contrib import admin
from django.db.models import F, Model
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.models import Space
from memory.models import Memory
from tests.packages import WITH_TABLES


class Answered(Protocol):
    """The answer to a client, in tests or over a real connection."""

    @property
    def status_code(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...


# The APIs have their own tests; of the admin see `find_admin_pages`.
_ELSEWHERE = ("api", "openai", "mem0", "admin")
_STATES = ("status", "state", "role")
_TIMES = ("last_active_at", "created_at", "at")
# No page for this person: it leads elsewhere, is closed to them, or can only be posted to.
_NO_PAGE = {302, 403, 405}
# Found by people with a second factor only (tests/accounts/test_account_page.py).
_WITH_FACTOR = {"mfa_deactivate_totp", "mfa_view_recovery_codes"}


@dataclass(frozen=True)
class Address:
    """One entry of the URL configuration: its name and what has to be filled in."""

    name: str
    arguments: tuple[str, ...]


@dataclass
class Found:
    """Pages by name with their addresses, and the names of those that nothing leads to."""

    pages: dict[str, str] = field(default_factory=dict)
    unreached: dict[str, str] = field(default_factory=dict)


def addresses() -> list[Address]:
    """Return all named URLs, except those of the admin and of the APIs."""
    return list(_walk(get_resolver(), ()))


def _walk(resolver: URLResolver, arguments: tuple[str, ...]) -> Iterator[Address]:
    for entry in resolver.url_patterns:
        taken = (*arguments, *entry.pattern.regex.groupindex)
        if isinstance(entry, URLPattern):
            if entry.name:
                yield Address(entry.name, taken)
        elif not (entry.namespace or "").startswith(_ELSEWHERE):
            yield from _walk(entry, taken)


def find_pages(get: Callable[[str], Answered], space: Space) -> Found:
    """Return the URLs that answer a person's GET with HTML: pages and fragments."""
    found = Found()
    for address in addresses():
        if address.name in _WITH_FACTOR:
            continue
        last = "there is no row to open"
        for values in product(*(values_of(argument, space) for argument in address.arguments)):
            chosen = dict(zip(address.arguments, values, strict=True))
            url = reverse(address.name, kwargs=chosen)
            answer = get(url)
            if _is_page(answer):
                found.pages[address.name] = url
            last = f"{answer.status_code} for {url}"
            if "HX-Refresh" in answer.headers:
                continue  # this row is of the past: the page that asked is loaded again
            if answer.status_code == 200 or answer.status_code in _NO_PAGE:
                break
        else:
            found.unreached[address.name] = last
    return found


def find_admin_pages() -> dict[str, str]:
    """The admin's list of each model, and of each that has a row the page of one."""
    found: dict[str, str] = {}
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found[f"{name}_changelist"] = reverse(f"{name}_changelist")
        if row := _latest(model).first():
            found[f"{name}_change"] = reverse(f"{name}_change", args=[row.pk])
    return found


def _is_page(answer: Answered) -> bool:
    if answer.status_code != 200 or "HX-Refresh" in answer.headers:
        return False
    return answer.headers["Content-Type"].startswith("text/html")


def values_of(argument: str, space: Space) -> Sequence[Any]:
    """Return the values of a URL's argument: the space's name, or the ids of its model's rows.

    `memory_id` is a Memory's id, `delivery_id` a WebhookDelivery's, `version` a PolicyVersion's. An
    argument without a model is a number or a word.
    """
    if argument == "slug":
        return [space.slug]
    if argument == "action_id":
        return [uuid4()]
    if argument == "short_id":
        return list(Memory.objects.in_space(space).values_list("short_id", flat=True)[:1])
    wanted = argument.removesuffix("_id")
    models = [model for name in WITH_TABLES for model in apps.get_app_config(name).get_models()]
    ending = [model for model in models if model.__name__.lower().endswith(wanted)]
    if not ending:
        return ["1"]
    model = min(ending, key=lambda model: len(model.__name__))
    return list(_one_of_each(model, argument if argument == "version" else "pk"))


def _one_of_each(model: type[Model], key: str) -> Iterator[Any]:
    """A row in each state that there is, the latest of them; a shared one is in a state, too."""
    key = "public_id" if any(f.name == "public_id" for f in model._meta.fields) else key
    rows = _latest(model)
    yield from rows.values_list(key, flat=True)[:1]
    for column in (f for f in model._meta.fields if f.name in _STATES):
        for value, _label in column.flatchoices:
            yield from rows.filter(**{column.name: value}).values_list(key, flat=True)[:1]
    if any(f.name == "shared_at" for f in model._meta.fields):
        yield from rows.filter(shared_at__isnull=False).values_list(key, flat=True)[:1]


def _latest(model: type[Model]) -> Any:
    names = {f.name for f in model._meta.fields}
    times = [F(time).desc(nulls_last=True) for time in _TIMES if time in names]
    return model._default_manager.order_by(*times, "pk")

"""People's texts are shown as written and do nothing, on every page of Ebb and of its admin.

The test finds pages and columns, so it covers new ones too.
"""

from uuid import uuid4

import httpx2
import pytest
from django.test import Client
from django.utils import timezone

from accounts.members.services import add_member
from accounts.models import Role, Space, User
from foundation.actors import SYSTEM
from memory.drafts import MemoryChange
from memory.lab.relevance import mark_relevance
from memory.lab.saved_queries import save_query
from memory.models import ConsolidationProposal, Memory
from memory.models.consolidation import ProposalKind
from memory.retention.recycle_bin import delete_memory
from memory.store.services import revise_memory
from tests.addresses import find_admin_pages, find_pages
from tests.browser.conftest import Open
from tests.hostile import RTL_OVERRIDE, make_hostile
from tests.lived_in import lived_in
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]
PHONE = (390, 844)
SIZE = 3
# Pages that show numbers and words of Ebb's own, beside the space's name in the rail.
OWN_WORDS_ONLY = {
    *("assessments_figures", "assessments_waiting", "bin_chart", "embeddings", "health_parts"),
    *("job", "lab_find", "memories_tags", "model_field", "models", "overview", "attention"),
    *("poll", "private", "recall_times", "spaces_leaving", "transfer", "connect", "usage"),
    *("embeddings_models", "memory_add", "memory_add_lifetime", "policy_compare", "first_steps"),
    *(
        "connections_found",
        "policy",
        "account_set_password",
        "mfa_activate_totp",
        "mfa_generate_recovery_codes",
    ),
}
# Pieces about one row, which may have nothing to tell.
OF_A_ROW = {
    *("consolidation_links", "exchange", "memory_revisions", "memory_similar", "memory_source"),
    *("exchange_edit", "offers", "review_near"),
}

# What a page does with the texts. One has no white space, and turns round what follows it in the
# line, the cell or the <bdi> that holds it: no word of ours may stand there.
_LOOK = """mark => {
  const text = new RegExp(`\\\\S*${mark}\\\\S*`, 'gu'), after = new Set();
  const holds = e => e.matches('bdi, [dir], option') || getComputedStyle(e).display !== 'inline';
  const inLine = e => [...e.childNodes].map(child =>
    child.nodeType === Node.TEXT_NODE ? child.data.replace(text, mark)
      : child.nodeType === Node.ELEMENT_NODE && !holds(child) ? inLine(child) : ' ').join('');
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) {
    let around = nodes.currentNode.parentElement;
    // What .prose holds is theirs alone, and so is what a field holds.
    if (!nodes.currentNode.data.includes(mark) || around.closest('.prose, textarea')) continue;
    while (!holds(around)) around = around.parentElement;
    const ours = inLine(around).split(mark).slice(1).join(' ');
    if (/[\\p{L}\\p{N}]/u.test(ours)) after.add(ours.trim().slice(0, 60));
  }
  const main = document.querySelector('main') ?? document.body;
  const tooWide = [document.documentElement, main].some(e => e.scrollWidth > e.clientWidth);
  const reaching = e => e.getBoundingClientRect().right > innerWidth + 1;
  const name = e => `${e.localName}.${e.className}`;
  return {
    hit: window.hit ?? null,
    alive: document.querySelectorAll('[onerror], [onload], img[src="x"], [href^="javascript:" i]')
      .length,
    too_wide: tooWide ? [...document.querySelectorAll('body *')].filter(reaching).map(name) : [],
    turned: [...after],
    shown: main.textContent.includes(mark),
  };
}"""
HARMLESS: dict[str, object] = {"hit": None, "alive": 0, "too_wide": [], "turned": []}


@pytest.fixture
def space(embedder: object) -> Space:
    """Lived in, and with what a few memories do not come to by themselves."""
    now = timezone.now()
    space = lived_in("lived-in", SIZE, now)
    assert isinstance(space, Space)
    gone, marked, *_others = live = Memory.objects.in_space(space).live().order_by("pk")
    change = MemoryChange(content="User sings", tags=["music"], topics=["Choirs"])
    for memory in live:
        revise_memory(space=space, memory_id=memory.pk, change=change, actor=SYSTEM, now=now)
    delete_memory(space=space, memory_id=gone.pk, actor=SYSTEM, now=now)
    mark_relevance(
        space=space, query="song", memory_id=marked.pk, relevant=True, user=None, now=now
    )
    save_query(space=space, query="song", now=now)
    ConsolidationProposal.objects.create(
        space=space,
        job_id=uuid4(),
        kind=ProposalKind.MERGE,
        sources=[memory.pk for memory in live[2:4]],
        revisions=[2, 2],
        result={"content": "User sings", "memory_type": "fact", "importance": 0.5},
        confidence=0.9,
    )
    return space


def test_texts_of_people_do_no_harm_anywhere(opened: Open, web: Web, space: Space) -> None:
    user = User.objects.create_superuser("owner", password=None)
    add_member(space=space, user=user, role=Role.OWNER, actor=SYSTEM, now=timezone.now())
    make_hostile()
    user.refresh_from_db()
    pages, pieces = found_by(user, web, space)

    page, seen = opened(f"{web.url}/s/{space.slug}/", person=user, size=PHONE), {}
    page.set_default_timeout(60_000)  # there are many, and other processes may be busy
    for name, url in pages.items():
        page.goto(web.url + url)
        seen[name] = page.evaluate(_LOOK, RTL_OVERRIDE)
    page.goto(web.url + pages["overview"])
    for name, url in pieces.items():
        # As htmx puts them into a page.
        page.evaluate("url => htmx.ajax('GET', url, '#main > .page')", url)
        seen[name] = page.evaluate(_LOOK, RTL_OVERRIDE)

    harm = [
        f"{name}: {sign} {one[sign]}"
        for name, one in seen.items()
        for sign, right in HARMLESS.items()
        if one[sign] != right
    ]
    assert not harm, "\n".join(harm)
    silent = {name for name, one in seen.items() if not one["shown"]}
    wrong = silent - OWN_WORDS_ONLY - OF_A_ROW
    assert not wrong, f"They show no text of anybody's: {', '.join(sorted(wrong))}"


def found_by(user: User, web: Web, space: Space) -> tuple[dict[str, str], dict[str, str]]:
    """The pages that this person finds, with those of the admin, and the pieces of pages."""
    whole: dict[str, bool] = {}
    session = Client()
    session.force_login(user)
    cookies = {name: one.value for name, one in session.cookies.items()}
    with httpx2.Client(base_url=web.url, cookies=cookies, timeout=60) as reader:

        def get(url: str) -> httpx2.Response:
            answer = reader.get(url)
            whole[url] = "<html" in answer.text
            return answer

        found = find_pages(get, space)
    assert found.unreached == {}
    pages = {name: url for name, url in found.pages.items() if whole[url]}
    pieces = {name: url for name, url in found.pages.items() if not whole[url]}
    return pages | find_admin_pages(), pieces

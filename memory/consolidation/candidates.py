"""Candidates of a group: the memories with which a memory is compared.

The candidates are the memory's nearest neighbours by vector. In a script that the space's model
hardly knows, such as Chinese for the built-in English model, unrelated memories can be nearer than
memories that say the same. There, memories that share words are candidates too.
"""

import re
from typing import Any

from django.contrib.postgres.search import SearchQuery, SearchRank
from django.db.models import F

from accounts.models import Space
from foundation.readers import Reader
from memory.models import Memory
from memory.models.memories import MemoryQuerySet
from memory.models.policies import current_policy
from memory.recall.similar import AT_MOST, Neighbour, nearest, nearest_live, vector_of
from memory.recall.sql.sizes import LARGE, size_if_large
from memory.text.lexemes import configuration, indexed, unspaced


def candidates(space: Space, root: Memory) -> list[Neighbour]:
    """Return the live memories of the same user that may belong together with this one; none if it
    has no vector yet."""
    vector = vector_of(space, root.pk)
    if vector is None:
        return []
    near = nearest_live(space, vector, root.user_id, besides=root.pk, most=AT_MOST)
    found = {one.memory.pk for one in near}
    alike = (one for one in _sharing_words(space, root, vector) if one.memory.pk not in found)
    return [*near, *alike]


def _sharing_words(space: Space, root: Memory, vector: Any) -> list[Neighbour]:
    """Return the memories that share most words with a text in a script without spaces. Not in a
    large space, where this would read every memory."""
    owner = Reader.exactly(root.user_id)
    if not unspaced(root.content) or size_if_large(space, LARGE, owner) is not None:
        return []
    rows: MemoryQuerySet = Memory.objects.in_space(space).live().readable_by(owner)
    rows = rows.exclude(pk=root.pk)
    query = _any_word(root.content, current_policy(space).document.language)
    ranked = rows.filter(search=query).order_by(SearchRank(F("search"), query).desc(), "pk")
    ids = list(ranked.values_list("pk", flat=True)[:AT_MOST])
    return nearest(rows.filter(pk__in=ids), space, vector, most=AT_MOST)


def _any_word(text: str, language: str) -> SearchQuery:
    """Return the query for memories with any word of the text, as they are indexed."""
    words = sorted(set(re.findall(r"\w+", indexed(text))))
    terms = " | ".join(f"'{word}'" for word in words)
    return SearchQuery(terms, search_type="raw", config=configuration(language))

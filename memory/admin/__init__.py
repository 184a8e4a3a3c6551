"""The admin over the memory core: for moderators across spaces, and for who runs Ebb.

Nothing is written here by itself. What changes a memory goes through the services, which note it in
the history with the person's name; everything else is for reading.
"""

from memory.admin import memories, people, records
from memory.admin.base import BY_SPACE, ReadOnlyAdmin, actor_of, one_by_one

__all__ = ["BY_SPACE", "ReadOnlyAdmin", "actor_of", "memories", "one_by_one", "people", "records"]

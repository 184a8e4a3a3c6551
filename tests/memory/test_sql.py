"""Objects that are made of the columns of a query of our own."""

from accounts.models import Space
from foundation.database.sql import Columns, fetch
from memory.models import Memory
from tests.memory.writing import remember


def test_an_object_made_of_columns_is_like_djangos(space: Space) -> None:
    remember(space, "Ana lives in Lisbon", tags=["home"], metadata={"n": 1})
    columns = Columns(Memory, without="search")
    text = f"SELECT {columns.of('memory_memory')} FROM memory_memory WHERE space_id = %(space)s"
    [row] = fetch(text, {"space": space.pk})

    made, loaded = columns.made_of(row), Memory.objects.in_space(space).defer("search").get()

    own, djangos = dict(vars(made)), dict(vars(loaded))
    states = [(one["_state"].adding, one["_state"].db) for one in (own, djangos)]
    assert states[0] == states[1]
    del own["_state"], djangos["_state"]
    assert own == djangos
    assert made.get_deferred_fields() == {"search"}

"""Long memories: minutes of a club that name something once."""

FACT = "Ottilie Brandner has the keys of the boathouse. "
ASKED = "Who has the keys of the boathouse?"
_TOPICS = (
    "The treasurer read the accounts of the spring.",
    "Four members asked for a second rowing machine.",
    "The hall is let to the choir on Tuesdays.",
    "Nobody wanted to paint the fence again.",
    "A letter from the town council was read aloud.",
    "The summer party is planned for the last Saturday of July.",
    "Two oars broke in the storm and were replaced.",
    "The youth group thanked everyone for the cakes.",
    "The heating was repaired and now works well.",
    "It was agreed to plant three apple trees.",
)


def long_text(at: int, length: int, fact: str = FACT) -> str:
    """Return minutes of about this length, with the fact after `at` characters."""
    said = (f"{number}. {_TOPICS[number % len(_TOPICS)]} " for number in range(1, length // 30))
    minutes = "".join(said)
    start = minutes.index(". ", at) + 2
    return minutes[:start] + fact + minutes[start:length]

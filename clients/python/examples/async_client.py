"""The async client: `python async_client.py alice`. Needs EBB_URL, EBB_KEY and
`pip install "./clients/python[async]"`."""

import asyncio
import sys

from ebb_client.async_client import AsyncEbb


async def main(user_id: str) -> None:
    """Save a memory, find it, and stream a reply."""
    async with AsyncEbb(user_id=user_id) as ebb:
        await ebb.remember("User likes pizza", memory_type="preference", tags=["food"])
        foods = ("What does the user like to eat?", "pizza")
        for found in await asyncio.gather(*(ebb.search(query) for query in foods)):
            print(found["query"], "→", found["results"][0]["memory"]["content"])
        async for event in ebb.stream_chat("What could I cook tonight?"):
            if event.name == "token":
                print(event.data["text"], end="", flush=True)
        print()


asyncio.run(main(sys.argv[1]))

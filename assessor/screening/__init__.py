"""What may become a memory: between what was said and the judge, and between the judge and the
store.

    secrets       keys, passwords, card numbers are masked before anybody judges
    machine_text  recalled memories, system prompts, tool results are no part of what is judged
    provenance    whose words are whose: the user's own, pasted, the assistant's
    attacks       what tries to steer the judge or to plant instructions waits for a person
"""

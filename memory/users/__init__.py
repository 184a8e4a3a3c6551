"""The users of a space: a list of them, and the erasure of one with all their data.

A user exists as soon as a row names them; users are not registered. Erasure uses the tables of the
export file (`memory.transfer.sections`), so a new table with an owner is erased without further
code.
"""

"""Writes, as verbs: each is one transaction together with its history."""

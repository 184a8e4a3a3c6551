"""Webhooks: signatures, allowed addresses, and sending messages to other programs."""

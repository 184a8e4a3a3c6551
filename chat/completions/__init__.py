"""The OpenAI-compatible API: adds memory between any OpenAI client and the configured model.

Requests and answers pass through unchanged otherwise.
"""

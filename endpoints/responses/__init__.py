"""`/v1/responses`: OpenAI's Responses API for models that support chat completions only.

A request becomes a chat completion (`completion_request.py`) and takes the same path as
`/v1/chat/completions`. The answer becomes output items and events (`writer.py`).
"""

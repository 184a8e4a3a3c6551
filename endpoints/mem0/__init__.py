"""The endpoint for mem0's own clients, below /mem0/.

It has the paths and shapes of mem0's hosted API, as `mem0ai` 1.0 to 2.2 (Python) and 3.1 to 3.3
(JavaScript) call it. It calls the same services as the JSON API. A call or an option without a
counterpart in Ebb gets an error that says so.

    endpoint       the API: authentication, errors, and calls without a counterpart
    adding_api     save messages, and the state of queued ones
    search_api     search
    memories_api   list, read, change and delete memories
    entities_api   users, agents, apps and runs
    access         the memories that a caller may see and change
    filters        mem0's filters as conditions on memories
    fields         the conditions of each field
    shapes         memories, history and errors as mem0's clients read them
"""

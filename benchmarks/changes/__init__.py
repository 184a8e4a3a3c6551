"""Facts that change, with questions about the present and the past."""

"""Facts that change, with questions about now and about then."""

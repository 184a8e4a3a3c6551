"""Memories from documents: a job reads a file, and the assessor judges its passages.

    pdf_text      reads a PDF in a process of its own
    reading       the text of a file, by pages, within the limits
    passages      splits a text for the assessor
    document_job  the job

What a document says is not the person's own words, so all of it waits for review.
"""

"""Memories from documents: a job reads a file and assesses its passages.

    pdf_text      reads a PDF in a process of its own
    reading       the text of a file, by pages, within the limits
    passages      splits a text for the assessor
    document_job  the job

A document does not contain the person's own words, so all its memories wait for review.
"""

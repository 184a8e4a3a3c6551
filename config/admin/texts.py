"""Texts of unfold, the admin's theme, which has no translations of its own.

Listed here so that `makemessages` puts them into our catalogue. No code reads this list.
"""

from typing import Final

from django.utils.translation import gettext_noop as _

TEXTS: Final = (
    _("Action"),
    _("Add row"),
    _("After you've created a user, you’ll be able to edit more user options."),
    _("All applications"),
    _("Apply Filters"),
    _("Clear all filters"),
    _("Clear selection"),
    _("Click here to select the objects across all pages"),
    _("Click to cancel"),
    _("Dark"),
    _("Date"),
    _("Date from"),
    _("Date to"),
    _("Expand row"),
    _("False"),
    _("Filters"),
    _("From"),
    _("Go back"),
    _("Hide counts"),
    _("Light"),
    _("Loading more results..."),
    _("More actions"),
    _("Next"),
    _("No data"),
    _("No recent searches"),
    _("No results matching your query"),
    _("Objects"),
    _("Previous"),
    _("Recent searches"),
    _("Reset filters"),
    _("Return to site"),
    _("Run"),
    _("Run the selected action"),
    _("Search apps and models..."),
    _("Select action"),
    _("Select action to run"),
    _("Select all rows"),
    _("Select record"),
    _("Show counts"),
    _("System"),
    _("This item will be deleted."),
    _("To"),
    _("Toggle sorting"),
    _("True"),
    _("Type to search"),
    _("User"),
    _("Value"),
    _(
        "Raw passwords are not stored, so there is no way to see this "
        "user’s password, but you can change the password using "
        '<a href="{}" class="text-primary-600 dark:text-primary-500">this form</a>.'
    ),
)

"""English dates as Django has them, and times of 24 hours, as everywhere on the pages."""

TIME_FORMAT = "H:i"
DATETIME_FORMAT = "N j, Y, H:i"
SHORT_DATETIME_FORMAT = "N j, Y, H:i"

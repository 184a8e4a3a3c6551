"""The version of Ebb, for the wheel, backups and metrics."""

VERSION = "0.2.0"

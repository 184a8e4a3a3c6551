"""`manage.py distribute`: distributes the tables over the nodes of a Citus cluster."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, connection, transaction

from operations.postgres.distribution import CannotDistribute, statements
from operations.startup.preparation import one_at_a_time


class Command(BaseCommand):
    """Distribute the tables of all spaces, in one transaction."""

    help = "Distribute the tables over the nodes of a Citus cluster. Stop Ebb first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="print the SQL, and change nothing"
        )

    def handle(self, *args: Any, dry_run: bool, **options: Any) -> None:
        try:
            if dry_run:
                self.stdout.writelines(f"{statement};\n" for statement in statements())
                return
            with one_at_a_time(), transaction.atomic():
                found = statements()
                for statement in found:
                    self.stdout.write(statement)
                    with connection.cursor() as cursor:
                        cursor.execute(statement)
        except CannotDistribute as error:
            sys.exit(str(error))
        except DatabaseError as error:
            sys.exit(f"Nothing was changed: {error}")
        self.stdout.write("The tables are distributed." if found else "Nothing is left to do.")

from django.db import migrations

from memory.space_keys import SpaceKeys


class Migration(migrations.Migration):
    """Primary keys, and the foreign keys to them, contain the space."""

    dependencies = [
        ('assessor', '0020_request_id'),
        ('memory', '0050_space_keys'),
    ]

    operations = [SpaceKeys('Assessment', 'GateCount')]

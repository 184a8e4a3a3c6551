from django.db import migrations

from memory.space_keys import SpaceKeys


class Migration(migrations.Migration):
    """Primary keys, and the foreign keys to them, contain the space."""

    dependencies = [
        ('chat', '0019_share_conversations'),
        ('assessor', '0021_space_keys'),
    ]

    operations = [
        SpaceKeys('Conversation', 'IdempotentTurn', 'Message', 'StoredResponse'),
    ]

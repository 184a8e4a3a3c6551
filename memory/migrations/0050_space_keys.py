from django.db import migrations

from memory.space_keys import SpaceKeys


class Migration(migrations.Migration):
    """Primary keys, and the foreign keys to them, contain the space.

    After the earlier migrations of the other apps, which make ordinary foreign keys to these tables.
    """

    dependencies = [
        ('memory', '0049_log_of_shared_conversations'),
        ('assessor', '0019_index_by_turn'),
        ('chat', '0018_agent_and_session_of_a_conversation'),
    ]

    operations = [
        SpaceKeys(
            'AuditEntry', 'ConsolidationProposal', 'IdempotentWrite', 'Job', 'JobPart', 'Memory',
            'MemoryEmbedding', 'MemoryEvent', 'MemoryRevision', 'ModelUsage', 'PolicyVersion',
            'RelevanceMark', 'ReviewRule', 'SavedQuery', 'Webhook', 'WebhookDelivery',
        ),
    ]

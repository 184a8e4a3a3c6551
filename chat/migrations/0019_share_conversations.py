from django.db import migrations, models


class Migration(migrations.Migration):
    """A member may share a conversation with the other members of the space."""

    dependencies = [
        ('chat', '0018_agent_and_session_of_a_conversation'),
    ]

    operations = [
        migrations.AddField(
            model_name='conversation',
            name='shared_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='shared'),
        ),
    ]

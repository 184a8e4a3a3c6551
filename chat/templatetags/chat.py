"""What the chat's templates need."""

from django import template
from django.utils.safestring import SafeString

from chat.markdown import to_html

register = template.Library()


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as harmless HTML."""
    return to_html(text)

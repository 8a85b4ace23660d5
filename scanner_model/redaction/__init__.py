"""Secret detection and masking, applied to every source before anything is stored or shown.

`places` decides by what the class of a setting says, `names` by name, `values` by value; `urls`, `texts` and
`statements` know the forms in texts, `documents` those in JSON and configurations; `known` hides values that are known
to be secret.
"""

from scanner_model.redaction.documents import mask_config, mask_json, mask_sensitive
from scanner_model.redaction.names import NO_EXTRA, ExtraNames, is_secret_name, is_secret_variable
from scanner_model.redaction.statements import mask_statement
from scanner_model.redaction.texts import mask_text
from scanner_model.redaction.urls import mask_url
from scanner_model.redaction.values import MASK, KnownSecrets, hide_values, is_distinctive

__all__ = [
    "MASK",
    "NO_EXTRA",
    "ExtraNames",
    "KnownSecrets",
    "hide_values",
    "is_distinctive",
    "is_secret_name",
    "is_secret_variable",
    "mask_config",
    "mask_json",
    "mask_sensitive",
    "mask_statement",
    "mask_text",
    "mask_url",
]

"""Single message transforms (SMTs), evaluated from configuration: their effects on topics and columns."""

"""Facts to rows and back: tables, migrations, the writer, and the questions that the dictionary answers."""

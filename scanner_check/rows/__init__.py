"""The rules of the check as rows: what each finding means, who finds it, and what follows from its kind."""

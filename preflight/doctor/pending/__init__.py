"""Why pods stay Pending: what the scheduler says of them, and what lies behind it."""

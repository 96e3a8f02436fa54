"""The subcommands of ``svmbench``, one module each, and what they share."""

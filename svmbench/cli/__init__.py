"""The command line: dispatch in `main`, a module for each subcommand."""

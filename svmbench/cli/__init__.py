"""The command line: dispatch in `main`, one module per subcommand."""

"""Our figures, tables and checks, one module for each document."""

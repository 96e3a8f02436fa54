"""Curves, tables and pictures of stored runs; nothing here trains, loads data or imports a solver."""

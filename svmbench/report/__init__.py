"""Stored runs as one HTML page that needs no network: charts by Vega-Lite, tables, commands, data."""

"""HTML report of stored runs that needs no network: charts by Vega-Lite, tables, commands, data."""

"""HTML report of stored runs that works without a network: charts by Vega-Lite, tables, commands, data."""

"""HTML report of stored runs that works without a network: charts by Vega-Lite, tables, commands, data.

From the top of the page to its end::

    build                the page
      |-- opening        methods compared over several data sets, with smaller pictures
      |-- figures        data of the chart of a problem; summary: the table above it
      |-- tables         runs and how to repeat them (command), environments, verdicts
      `-- compressed     parts that the page unpacks as the reader comes near
"""

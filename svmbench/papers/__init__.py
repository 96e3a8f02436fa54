"""Published numbers and claims of the reproduced papers, as data."""

"""Numeric questions on multi-head attention, and the command line over the three rooms."""

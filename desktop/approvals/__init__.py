"""Deciding on writes."""

"""Lists from columns to JSON without a call a field, where that gives the very same answer."""

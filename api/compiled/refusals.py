"""Why a selection is left to graphql-core: it is asked again there, the ordinary way."""


class NotCompiled(Exception):
    """The selection holds what is not compiled; it never will be."""


class Unfit(Exception):
    """What was found can't be answered as it is: graphql-core has the errors for it."""

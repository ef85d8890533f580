"""Who writes an answer, and from what: the model, else the pages themselves."""

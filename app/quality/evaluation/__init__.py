"""Search measured on a set of questions, stage by stage."""

"""The ground floor: facts, types, PDDL domains, states, transition models and search."""

"""Our methods beside the paper's, later ones and the least error possible: same people, same ε."""

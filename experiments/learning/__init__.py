"""How well classes are told apart by models that have seen nothing but randomised reports."""

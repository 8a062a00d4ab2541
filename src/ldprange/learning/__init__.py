"""Models of a public class, trained on randomised reports of private numbers.

A labelled plan says what people are asked; a client randomises a person's numbers; aggregates by class and
attribute add; models are read off them. The models are estimators of scikit-learn
(``pip install 'ldprange[learn]'``) and live in modules of their own; nothing else here needs it.
"""

from ldprange.learning.aggregate import LabelledAggregate
from ldprange.learning.choice import choose_labelled_plan
from ldprange.learning.client import LabelledClient
from ldprange.learning.plan import LabelledPlan
from ldprange.learning.rehearsal import simulate_labelled

__all__ = ["LabelledAggregate", "LabelledClient", "LabelledPlan", "choose_labelled_plan", "simulate_labelled"]

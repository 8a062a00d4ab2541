"""Figures of answers and domains. They need matplotlib (``pip install 'ldprange[plot]'``)."""

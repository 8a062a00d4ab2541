"""How levels come together: a fit and its variances for trees, for windows, and for several attributes."""

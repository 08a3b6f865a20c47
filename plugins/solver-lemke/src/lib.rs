//! Lemke's method with lexicographic anti-cycling for mixed linear complementarity problems.

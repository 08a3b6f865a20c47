//! Projected Gauss-Seidel by contact blocks for mixed linear complementarity problems.

//! Semismooth Newton for mixed linear complementarity problems with bounds.

//! Planar collision detection: discs, capsules, polygons, half-planes, segments.

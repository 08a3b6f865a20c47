//! Spatial collision detection on parry3d in double precision.

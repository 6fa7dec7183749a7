"""Records: what is kept of an encounter, as immutable values with named fields.

A record is made once, from what the simulation found. Reports and terminals read its fields, and
`summary.json` is written from it. Numbers are SI. Vectors are tuples in world axes unless a
record says otherwise, with two entries in the plane and three in space; an axial vector (a moment,
an angular velocity) is one number in the plane.
"""

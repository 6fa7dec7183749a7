"""Records: what is kept of an encounter, as immutable values with named fields.

A record is made once, from what the simulation found. Reports and terminals read its fields, and
`summary.json` is written from it. Numbers are SI. Vectors are tuples in world axes unless a
record says otherwise, with two entries in the plane and three in space; an axial vector (a moment,
an angular velocity) is one number in the plane.
"""

from percuss.encounter.records.approach import (
    ApproachRecord,
    ArrivalRecord,
    ClosestApproach,
    ContactBy,
    MeetingRecord,
    PlannedAndFound,
)
from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.impact import (
    AngularMomentumChange,
    Axial,
    ContactRecord,
    EnergyChange,
    ImpactRecord,
    JointReaction,
    LinearMomentumChange,
    TouchRecord,
    Vector,
)
from percuss.encounter.records.limits import (
    JointJolt,
    JointLimits,
    LimitsRecord,
    QuantityUse,
    RangeUse,
)
from percuss.encounter.records.orbit import LocalTargetState, OrbitRecord
from percuss.encounter.records.result import (
    BalanceRecord,
    EncounterResult,
    EncounterStatus,
    FinalState,
    IntegrationRecord,
    NoticeRecord,
    PeakLoads,
    PhaseRecord,
    PlanarTargetState,
    SpatialTargetState,
)
from percuss.encounter.records.stabilisation import (
    DumpRecord,
    RemainingMotion,
    StabilisationRecord,
)

__all__ = [
    "AngularMomentumChange",
    "ApproachRecord",
    "ArrivalRecord",
    "Axial",
    "BalanceRecord",
    "ClosestApproach",
    "ContactBy",
    "ContactRecord",
    "ControlRecord",
    "DumpRecord",
    "EncounterResult",
    "EncounterStatus",
    "EnergyChange",
    "FinalState",
    "ImpactRecord",
    "IntegrationRecord",
    "JointJolt",
    "JointLimits",
    "JointReaction",
    "LimitsRecord",
    "LinearMomentumChange",
    "LocalTargetState",
    "MeetingRecord",
    "NoticeRecord",
    "OrbitRecord",
    "PeakLoads",
    "PhaseRecord",
    "PlanarTargetState",
    "PlannedAndFound",
    "QuantityUse",
    "RangeUse",
    "RemainingMotion",
    "SpatialTargetState",
    "StabilisationRecord",
    "TouchRecord",
    "Vector",
]

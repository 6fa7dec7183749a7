"""Memory in which rooms follow one another: none lies over another, and gaps are used again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from percuss.kernel.backends.arena import Arena

TAKEN_OR_GIVEN_BACK = st.lists(
    st.one_of(st.integers(1, 40), st.floats(0.0, 1.0, exclude_max=True)), max_size=60
)
"""Sizes that are taken, and which of the rooms there are (a share of them) is given back."""


@given(TAKEN_OR_GIVEN_BACK)
def test_rooms_lie_apart_within_the_array(wishes: list[int | float]) -> None:
    arena, rooms = Arena(), {}
    for wish in wishes:
        if isinstance(wish, int):
            first = arena.take(wish)
            room = set(range(first, first + wish))
            assert not any(room & other for other in rooms.values()), "two rooms share an entry"
            assert first in arena.places
            rooms[first] = room
        elif rooms:
            first = sorted(rooms)[int(wish * len(rooms))]
            arena.give_back(first)
            del rooms[first]
        assert arena.size >= 1 + max((max(room) for room in rooms.values()), default=-1)


def test_what_is_given_back_is_taken_again_whatever_its_size() -> None:
    arena = Arena()
    large, other = arena.take(30), arena.take(5)
    arena.give_back(large)
    small = [arena.take(10) for _ in range(3)]
    assert small == [0, 10, 20]
    assert (other, arena.size) == (30, 35)

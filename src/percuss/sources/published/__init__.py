"""The plastic closure and the motion after it as the thesis prints them, to be compared with the
right ones: they lose momentum."""

from typing import TYPE_CHECKING

from percuss.exports import on_demand

if TYPE_CHECKING:
    from percuss.sources.published.closure import Published
    from percuss.sources.published.jump import published
    from percuss.sources.published.plant import PublishedPlant

__all__ = ["Published", "PublishedPlant", "published"]

__getattr__, __dir__ = on_demand(
    __name__,
    {
        "closure": ("Published",),
        "jump": ("published",),
        "plant": ("PublishedPlant",),
    },
)

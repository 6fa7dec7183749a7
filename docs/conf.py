"""Sphinx: MyST pages, API pages from docstrings, formulas by a MathJax that is shipped along."""

from __future__ import annotations

import re
from importlib.metadata import version as installed_version
from typing import Any

project = "percuss"
author = "The percuss developers"
version = release = installed_version("percuss")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
]
# The second is no page of its own: it is included in theory/kernels.md.
exclude_patterns = ["_build", "theory/speed.md"]
default_role = "code"
nitpicky = False

myst_enable_extensions = ["amsmath", "dollarmath"]
myst_heading_anchors = 3

# The menu on a formula could load its speech rules from elsewhere; screen readers need none of it.
mathjax4_config = {"options": {"enableMenu": False, "enableAssistiveMml": True}}

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "imported-members": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = f"percuss {release}"
html_static_path = ["_static"]
html_css_files = ["percuss.css"]
html_copy_source = False
html_show_copyright = False


def escape(
    _app: Any, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """What docstrings write plainly and reStructuredText would take for markup.

    |v| is a norm, not a substitution; in (*arguments) no emphasis begins; and code may be
    followed by a parenthesis, as in `value`(t).
    """
    for k, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            line = re.sub(r"(?<=\()\*(?=\w)", r"\\*", line)
            line = line.replace("`(", "`\\ (")
        lines[k] = line.replace("|", "\\|")


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", escape)

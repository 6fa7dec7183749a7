"""Reports: the page with its animation and charts, and figures for paper."""

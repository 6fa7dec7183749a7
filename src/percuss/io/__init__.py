"""Files: read with care, and written so that they appear whole or not at all."""

from percuss.io.files import try_file, try_files, write_file, write_files
from percuss.io.folders import try_folder, write_folder

__all__ = ["try_file", "try_files", "try_folder", "write_file", "write_files", "write_folder"]

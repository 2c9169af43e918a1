"""The script beside this folder, with the library that requirements.txt pins here."""

import pathlib
import runpy

runpy.run_path(str(pathlib.Path(__file__).parents[1] / "velopack-python" / "update.py"), run_name="__main__")

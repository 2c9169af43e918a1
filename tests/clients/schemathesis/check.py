"""Holds a running service against its description, with calls that schemathesis makes up.

Takes {"url", "document", "token", "seed", "examples", "words", "without"} as its argument: what is called, its description,
who calls, how much is made up, values that mean something to the service by parameter, and paths that are not called. Answers {"fits": whether every answer was as
described, "calls": how many there were, "said": the report}.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

# What is checked of each answer. Others of schemathesis are about how strictly input is read, which the suite tests.
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
]

# How often a parameter has a value that means something.
PROBABILITY = 0.8

# Seconds for the whole run: far more than it takes.
TIME_LIMIT = 600


def config(words):
    """In TOML, whose strings, lists and tables of these are those of JSON."""
    lines = []
    for number, (parameter, values) in enumerate(words.items()):
        lines.append(f"[dictionaries.words{number}]")
        lines.append(f"values = {json.dumps(values)}")
        lines.append(f"[parameters.{json.dumps(parameter)}]")
        lines.append(f'dictionary = "words{number}"')
        lines.append(f"probability = {PROBABILITY}")
    return "\n".join(lines) + "\n"


def command(asked, folder):
    return [
        # Not by the script of this name, which names the folder that the packages were first installed in.
        sys.executable,
        "-m",
        "schemathesis.cli",
        f"--config-file={folder / 'schemathesis.toml'}",
        "run",
        asked["document"],
        f"--url={asked['url']}",
        f"--header=Authorization: Bearer {asked['token']}",
        f"--checks={','.join(CHECKS)}",
        "--phases=examples,coverage,fuzzing",
        f"--max-examples={asked['examples']}",
        f"--seed={asked['seed']}",
        "--generation-database=none",
        "--no-shrink",
        "--continue-on-failure",
        "--suppress-health-check=all",
        "--no-color",
        *(f"--exclude-path={path}" for path in asked["without"]),
    ]


def run(asked):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "schemathesis.toml").write_text(config(asked["words"]), encoding="utf-8")
        done = subprocess.run(
            command(asked, folder), cwd=folder, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
        )
    said = done.stdout + done.stderr
    calls = re.search(r"(\d+) generated", said)
    return {"fits": done.returncode == 0, "calls": int(calls[1]) if calls else 0, "said": said}


print(json.dumps(run(json.loads(sys.argv[1]))))

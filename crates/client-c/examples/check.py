"""Checks for an update: check.py libspindrift.so https://updates.example"""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p

library, service = sys.argv[1:]
spindrift = ctypes.CDLL(library)

# The fields of spindrift_config after `size`, in the order of spindrift.h.
FIELDS = """base_url edge_url owner app_name version channel platform arch updater os_version groups device_id
    report_key token download_token trust_root trust_repository trust_folder trust_bucket_url trust_channels"""


class Config(ctypes.Structure):
    _fields_ = [("size", c_size_t)] + [(name, c_char_p) for name in FIELDS.split()]


spindrift.spindrift_client_new.argtypes = [POINTER(Config), POINTER(c_void_p), POINTER(c_void_p)]
spindrift.spindrift_check.argtypes = [c_void_p, c_void_p, c_int, POINTER(c_void_p), POINTER(c_void_p)]
for getter in (spindrift.spindrift_update_version, spindrift.spindrift_error_message):
    getter.argtypes, getter.restype = [c_void_p], c_char_p
for free in (spindrift.spindrift_client_free, spindrift.spindrift_update_free, spindrift.spindrift_error_free):
    free.argtypes, free.restype = [c_void_p], None


def call(function, *arguments):
    """Calls a function whose last two arguments are places for its result and its error."""
    result, error = c_void_p(), c_void_p()
    if function(*arguments, byref(result), byref(error)) != 0:
        message = spindrift.spindrift_error_message(error).decode()
        spindrift.spindrift_error_free(error)
        raise RuntimeError(message)
    return result


config = Config(
    size=ctypes.sizeof(Config),
    base_url=service.encode(),
    owner=b"acme",
    app_name=b"notes",
    version=b"1.2.0",
    channel=b"stable",
    platform=b"linux",
    arch=b"amd64",
)
client = call(spindrift.spindrift_client_new, byref(config))
update = call(spindrift.spindrift_check, client, None, 0)
if update:
    print(spindrift.spindrift_update_version(update).decode(), "is there")
else:
    print("up to date")
spindrift.spindrift_update_free(update)
spindrift.spindrift_client_free(client)

"""onnxruntime with its telemetry off.

Its Linux wheels look up a host of the vendor, and keep a device id and a database of events below the home folder, as
soon as the library is loaded. It reads the variable then and never again, so this is the one place that imports it.
"""

import os
from types import ModuleType


def load_onnxruntime() -> ModuleType:
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    loaded: ModuleType = onnxruntime
    return loaded

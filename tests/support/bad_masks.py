"""Values of `reset_mask` that vector environments refuse, with the error and its message."""

import numpy as np

BAD_MASKS = [
    ([True, False], TypeError, r"reset_mask is \[True, False\]; it takes .*NumPy array of bool, of shape \(2,\)"),
    (np.array([1, 0]), TypeError, r"reset_mask is int64 of shape \(2,\); it takes"),
    (None, TypeError, "reset_mask is None"),
    (np.array([True]), ValueError, r"reset_mask is bool of shape \(1,\); it takes"),
    (np.zeros(2, bool), ValueError, r"reset_mask is bool of shape \(2,\) without a True; it takes"),
]

"""Archives of arrays that others have written: what an array says of itself, before anything is allocated for it."""

import zipfile

import numpy as np


def declared(archive: zipfile.ZipFile, name: str) -> tuple[np.dtype, tuple[int, ...]]:
    """Return dtype and shape of the array `name`; raise ValueError unless they are of as many bytes as its entry is."""
    entry = archive.getinfo(f"{name}.npy")
    with archive.open(entry) as file:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        if int(np.prod(shape, dtype=object)) * dtype.itemsize != entry.file_size - file.tell():
            raise ValueError(f"{name} has not the bytes of shape {shape}")
    return dtype, shape

"""Many texts in hexadecimal digits or base64, which lie end to end, as bytes that lie end to end."""

import binascii

import numpy as np
from numpy.typing import NDArray

from ldprange.errors import WireError

Bytes = NDArray[np.uint8]
Ends = NDArray[np.int64]

HEXADECIMAL = r"\A([0-9a-fA-F]{2})*\z"
"""What :func:`from_hexadecimal` decodes, as a regular expression."""

BASE64 = r"\A([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?\z"
"""What :func:`from_base64` decodes, as a regular expression."""

_SIXTY_FOUR = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_NO_DIGIT, _PADDING = 64, 65
_DIGITS = np.full(256, _NO_DIGIT, np.uint8)
_DIGITS[np.frombuffer(_SIXTY_FOUR, np.uint8)] = np.arange(64)
_DIGITS[ord("=")] = _PADDING


def from_hexadecimal(text: Bytes, ends: Ends) -> tuple[Bytes, Ends]:
    """Return the bytes that ``text`` says in hexadecimal digits, and where each of them ends.

    Text i is ``text[ends[i]:ends[i + 1]]``; ``ends`` begin with 0.

    >>> data, ends = from_hexadecimal(np.frombuffer(b"01ff02", np.uint8), np.array([0, 4, 6]))
    >>> data.tolist(), ends.tolist()
    ([1, 255, 2], [0, 2, 3])
    """
    if np.any(ends % 2):
        raise WireError(
            "a text in hexadecimal digits must have two for each byte, and some have an odd number"
        )
    try:
        return np.frombuffer(binascii.unhexlify(text.data), np.uint8), ends // 2
    except binascii.Error:
        raise WireError("a text must be in hexadecimal digits, and some have other characters") from None


def from_base64(text: Bytes, ends: Ends) -> tuple[Bytes, Ends]:
    """Return the bytes that ``text`` says in base64, with its padding, and where each of them ends.

    Text i is ``text[ends[i]:ends[i + 1]]``; ``ends`` begin with 0.

    >>> data, ends = from_base64(np.frombuffer(b"Af8CAg==", np.uint8), np.array([0, 4, 8]))
    >>> data.tolist(), ends.tolist()
    ([1, 255, 2, 2], [0, 3, 4])
    """
    if np.any(ends % 4):
        raise WireError(
            "a text in base64 must have 4 characters for 3 bytes, with = at its end, and some do not"
        )
    digits = _DIGITS[text].reshape(-1, 4)
    padding = digits == _PADDING
    last = np.zeros(len(digits) + 1, bool)
    last[ends // 4] = True
    # = may stand at the end of a text only, once or twice
    out_of_place = padding[:, :2].any() or np.any(padding[:, 2] & ~padding[:, 3])
    if out_of_place or np.any(padding[:, 3] & ~last[1:]) or np.any(digits == _NO_DIGIT):
        raise WireError("a text must be in base64 (A–Z, a–z, 0–9, + and /), and some are not")
    bits = np.where(padding, 0, digits).astype(np.uint32) @ np.array([1 << 18, 1 << 12, 1 << 6, 1], np.uint32)
    triples = np.stack([bits >> 16, bits >> 8, bits], axis=1).astype(np.uint8)
    kept = np.ones(triples.shape, bool)
    kept[:, 1:] = ~padding[:, 2:]
    if np.any(triples[~kept]):
        raise WireError("a text in base64 must not have bits after its last byte, and some have")
    return triples[kept], np.concatenate([[0], np.cumsum(kept.sum(axis=1))])[ends // 4]

"""What runs on a person's own device: encoding, the ledger of what was said, and sending."""

from ldprange.client.encoding import Client, encode_with
from ldprange.client.ledger import Ledger
from ldprange.client.sender import Sender

__all__ = ["Client", "Ledger", "Sender", "encode_with"]

"""Verifies a COSE receipt, a time stamp or a DSSE envelope with packages that share no code with Assay.

Usage: check_evidence.py receipt FILE LEAF-HEX KEY-PEM
       check_evidence.py stamp FILE TEXT-FILE CA-PEM
       check_evidence.py envelope FILE SUBJECT-SHA256 KEY-PEM
"""

import json
import sys
from pathlib import Path


def check_receipt(file: str, leaf: str, key: str) -> bool:
    from scitt_cose import verify_receipt

    receipt = Path(file).read_bytes()
    result = verify_receipt(receipt, leaf_entry_hex=leaf, log_public_key_pem=Path(key).read_text())
    print(result.failed_at, result.errors)
    return result.ok


def check_stamp(file: str, text: str, ca: str) -> bool:
    from cryptography import x509
    from rfc3161_client import VerifierBuilder, decode_timestamp_response

    root = x509.load_pem_x509_certificate(Path(ca).read_bytes())
    verifier = VerifierBuilder().add_root_certificate(root).build()
    response = decode_timestamp_response(Path(file).read_bytes())
    try:
        return verifier.verify_message(response, Path(text).read_bytes())
    except Exception as error:
        print(error)
        return False


def check_envelope(file: str, subject: str, key: str) -> bool:
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import SSlibKey

    content = json.loads(Path(file).read_text())
    keyid = content["signatures"][0]["keyid"]
    envelope = Envelope.from_dict(content)
    public_key = load_pem_public_key(Path(key).read_bytes())
    try:
        envelope.verify([SSlibKey.from_crypto(public_key, keyid=keyid)], 1)
    except VerificationError as error:
        print(error)
        return False
    statement = json.loads(envelope.payload)
    return statement["subject"][0]["digest"]["sha256"] == subject


check = {"receipt": check_receipt, "stamp": check_stamp, "envelope": check_envelope}[sys.argv[1]]
sys.exit(0 if check(*sys.argv[2:]) else 1)

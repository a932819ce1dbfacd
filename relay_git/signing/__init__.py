"""Ed25519 signatures in OpenSSH's SSHSIG format, the keys that make them, whose keys they are."""

"""git behind one small port: `store` says what there is, the other modules do it."""

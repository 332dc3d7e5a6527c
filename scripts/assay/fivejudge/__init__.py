"""The five-judge protocol as pure functions: evidence in, scores with every addend out."""

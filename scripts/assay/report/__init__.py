"""Reports: what people read, made from the tables."""

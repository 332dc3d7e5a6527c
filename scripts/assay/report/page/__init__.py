"""The report that people read: one HTML file, made from the tables, pictures, packets and verdicts."""

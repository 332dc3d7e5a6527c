"""Assay's library: everything that the rules' thin scripts compute."""

"""Pictures: drawn with Matplotlib, written as SVG that follows the reader's light or dark theme."""

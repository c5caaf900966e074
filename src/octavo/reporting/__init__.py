"""What reports of any kind are shown with: tables of text, and figures."""

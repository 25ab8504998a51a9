"""What the pages, the API and the terminal show, as plain data: no markup, no language, no arithmetic of their own."""

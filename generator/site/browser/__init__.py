"""The estimate in the browser: JavaScript made of the same Python that computes the site."""

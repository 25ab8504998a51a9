"""The site: texts, generated pages and their building; the only writer of the site."""

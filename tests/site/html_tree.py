"""A small HTML tree for tests: elements with their attributes, and the text nodes with their ancestors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr", "source", "col"})


@dataclass
class Element:
    """An element; `children` are elements and texts in their order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    parent: Element | None = None
    children: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    def ancestors(self) -> Iterator[Element]:
        """This element and everything around it, from inside out."""
        node: Element | None = self
        while node is not None:
            yield node
            node = node.parent

    def elements(self) -> Iterator[Element]:
        """Everything inside, this one first."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.elements()

    def texts(self) -> Iterator[tuple[str, Element]]:
        """Text nodes with the element that each stands in; data for scripts is no text."""
        for child in self.children:
            if isinstance(child, Element):
                yield from child.texts() if child.tag != "script" else ()
            else:
                yield child, self

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.texts())


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("#root")
        self.node = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.node)
        self.node.children.append(element)
        if tag not in VOID:
            self.node = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.node.children.append(Element(tag, {name: value or "" for name, value in attrs}, self.node))

    def handle_endtag(self, tag: str) -> None:
        if self.node.tag != tag:
            raise ValueError(f"expected </{self.node.tag}>, found </{tag}>")
        assert self.node.parent is not None
        self.node = self.node.parent

    def handle_data(self, data: str) -> None:
        self.node.children.append(data)


def parse(html: str) -> Element:
    """The tree of a piece of HTML; raises ValueError where an element is not closed."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    if builder.node is not builder.root:
        raise ValueError(f"expected </{builder.node.tag}>, found the end")
    return builder.root

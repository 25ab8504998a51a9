// Search: a dialog of ours over Pagefind's index, which is loaded when somebody first opens it.
(() => {
  "use strict";
  const words = JSON.parse(document.getElementById("tf-words").textContent);
  const language = document.documentElement.lang;
  const plural = new Intl.PluralRules(language);
  const dialog = document.getElementById("tf-search");
  const input = document.getElementById("tf-search-input");
  const status = document.getElementById("tf-search-status");
  const list = document.getElementById("tf-search-results");
  const opener = document.querySelector("[data-tf-search]");
  const root = new URL(words.root || "./", location.href);
  const LIMIT = 12;
  let engine = null;
  let latest = 0;

  const load = () => {
    engine ??= import(new URL("pagefind/pagefind.js", root).href).then(async (pagefind) => {
      await pagefind.options({ baseUrl: root.pathname, excerptLength: 24 });
      await pagefind.init();
      return pagefind;
    });
    return engine;
  };

  const open = () => {
    if (dialog.open) return;
    dialog.showModal();
    input.focus();
    input.select();
    load().catch(fail);
  };
  const fail = () => {
    engine = null;
    status.textContent = words.failed;
  };

  const link = (address, className) => {
    const item = document.createElement("li");
    const anchor = document.createElement("a");
    anchor.href = address;
    if (className) anchor.className = className;
    item.append(anchor);
    list.append(item);
    return anchor;
  };

  const excerpt = (anchor, html) => {
    // Pagefind escapes the page's text and marks the words that were found; only the marks are kept as elements.
    const paragraph = document.createElement("p");
    const parsed = new DOMParser().parseFromString(html, "text/html");
    for (const node of parsed.body.childNodes) {
      if (node.nodeName === "MARK") {
        const mark = document.createElement("mark");
        mark.textContent = node.textContent;
        paragraph.append(mark);
      } else {
        paragraph.append(node.textContent);
      }
    }
    anchor.append(paragraph);
  };

  const show = (results) => {
    list.replaceChildren();
    for (const page of results) {
      const anchor = link(page.url);
      const title = document.createElement("strong");
      title.textContent = page.meta.title;
      anchor.append(title);
      if (page.meta.section) {
        const section = document.createElement("small");
        section.textContent = page.meta.section;
        anchor.append(section);
      }
      const parts = page.sub_results.filter((part) => part.anchor && part.anchor.element !== "h1").slice(0, 2);
      excerpt(anchor, page.excerpt);
      for (const part of parts) link(part.url, "tf-search__part").append(part.title.replace(/\s*#$/, ""));
    }
  };

  const search = async () => {
    const query = input.value.trim();
    const mine = ++latest;
    if (!query) {
      list.replaceChildren();
      status.textContent = words.hint;
      return;
    }
    status.textContent = words.searching;
    try {
      const pagefind = await load();
      const found = await pagefind.search(query);
      const pages = await Promise.all(found.results.slice(0, LIMIT).map((result) => result.data()));
      if (mine !== latest) return;
      show(pages);
      const count = found.results.length;
      const form = words.found[plural.select(count)] || words.found.other;
      status.textContent = (count ? form : words.nothing).replace("{count}", count).replace("{query}", query);
    } catch {
      if (mine === latest) fail();
    }
  };

  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, 120);
  });
  opener.addEventListener("click", open);
  dialog.querySelector("[data-tf-close]").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const first = list.querySelector("a");
    if (first) first.click();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const stops = [input, ...list.querySelectorAll("a")];
    const at = stops.indexOf(document.activeElement);
    const next = stops[(at + (event.key === "ArrowDown" ? 1 : -1) + stops.length) % stops.length];
    event.preventDefault();
    next.focus();
  });
  addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea, [contenteditable]");
    const shortcut = event.key === "/" && !typing || event.code === "KeyK" && (event.ctrlKey || event.metaKey);
    if (shortcut && !event.altKey) {
      event.preventDefault();
      open();
    }
  });
  list.addEventListener("click", (event) => { if (event.target.closest("a")) dialog.close(); });
})();

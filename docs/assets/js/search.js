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
  // As in generator/site/search.py: Cyrillic letters that look like Latin ones, and the sign of multiplication.
  const LOOKALIKES = new Map([..."\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u00d7"].map((char, i) => [char, "abekmhopctyxx"[i]]));
  const latin = (text) => [...text].map((char) => LOOKALIKES.get(char) ?? char).join("");
  const squeezed = (text) => latin(text.toLowerCase()).replace(/[^\p{L}\p{N}]/gu, "");
  let engine = null;
  let names = null;
  let latest = 0;

  const load = () => {
    engine ??= import(new URL("pagefind/pagefind.js", root).href).then(async (pagefind) => {
      await pagefind.options({ baseUrl: root.pathname, excerptLength: 24 });
      await pagefind.init();
      return pagefind;
    });
    return engine;
  };

  // Names and wrong names of models, cards and rigs; search does without them where they do not load.
  const known = () => {
    names ??= fetch(new URL(`pagefind/names.${language}.json`, root)).then((answer) => (answer.ok ? answer.json() : {})).catch(() => ({}));
    return names;
  };
  // The page that has this very name; of "4x4090" the card.
  const named = async (query) => {
    const all = await known();
    const whole = squeezed(query);
    const card = whole.replace(/^\d{1,2}x(?=.)/, "");
    return all[whole] ?? (card === whole ? undefined : all[card] ?? all[`rtx${card}`]);
  };
  // What was typed, as the pages write it: "4х4090" is four cards, "70В" with a Cyrillic letter is 70B.
  const spelled = (query) => query.split(/\s+/).map((word) => (/\d/.test(word) ? latin(word.toLowerCase()) : word)).join(" ")
    .replace(/(?<![\p{L}\p{N}])(\d{1,2})\s*x\s*(?=[\p{L}\p{N}])/giu, "$1 ");

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

  // Where no word begins with what was typed, Pagefind takes a word that what was typed begins with, be it one letter.
  const relevant = (query) => {
    const typed = query.split(/\s+/).map(squeezed).filter(Boolean);
    const alike = (word, mark) => mark.includes(word.slice(0, 3));
    return (page) => [...page.excerpt.matchAll(/<mark>(.*?)<\/mark>/g)].some(([, mark]) => typed.some((word) => alike(word, squeezed(mark))));
  };
  // The page whose name was typed comes first.
  const address = (path) => new URL(`${language === "en" ? "en/" : ""}${path}`, root).pathname;
  const first = ([title, path]) => {
    const anchor = link(address(path));
    const name = document.createElement("strong");
    name.textContent = title;
    anchor.append(name);
    list.prepend(anchor.parentElement);
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
      const [meant, found] = await Promise.all([named(query), pagefind.search(spelled(query))]);
      const loaded = await Promise.all(found.results.slice(0, LIMIT).map((result) => result.data()));
      const pages = loaded.filter(relevant(spelled(query)));
      if (mine !== latest) return;
      show(pages.filter((page) => !meant || page.url.split("#")[0] !== address(meant[1])));
      if (meant) first(meant);
      const count = pages.length && found.results.length;
      const form = words.found[plural.select(count)] || words.found.other;
      status.textContent = meant?.[2]
        ? words.meant.replace("{name}", meant[0]).replace("{query}", query)
        : (count || meant ? form : words.nothing).replace("{count}", Math.max(count, meant ? 1 : 0)).replace("{query}", query);
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

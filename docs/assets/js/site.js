// Theme, menu, code to copy, where we are in the contents. Everything here is a convenience: the page reads without it.
(() => {
  "use strict";
  const root = document.documentElement;
  const words = JSON.parse(document.getElementById("tf-words").textContent);

  // Theme: a choice that equals the system's is no choice, so that the page follows the system again.
  const theme = document.querySelector("[data-tf-theme]");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const label = () => {
    root.dataset.effective = root.dataset.theme || (dark.matches ? "dark" : "light");
    theme.setAttribute("aria-label", root.dataset.effective === "dark" ? words.light : words.dark);
    theme.title = theme.getAttribute("aria-label");
  };
  const remember = (value) => {
    try {
      if (value) localStorage.setItem("trainfit-theme", value);
      else localStorage.removeItem("trainfit-theme");
    } catch { /* a private window forgets */ }
  };
  theme.addEventListener("click", () => {
    const next = root.dataset.effective === "dark" ? "light" : "dark";
    if ((next === "dark") === dark.matches) delete root.dataset.theme;
    else root.dataset.theme = next;
    remember(root.dataset.theme);
    label();
  });
  dark.addEventListener("change", label);
  label();

  // The link to the other language keeps the place on the page (headings have the same ids) and the calculator's state.
  for (const link of document.querySelectorAll("[data-tf-language]")) {
    const address = link.getAttribute("href");
    link.addEventListener("click", () => { link.href = address + location.search + location.hash; });
  }

  // The menu closes on Escape and on a click elsewhere.
  const menu = document.querySelector(".tf-menu");
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && menu.open) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  addEventListener("click", (event) => { if (menu.open && !menu.contains(event.target)) menu.open = false; });

  // What an address points at is shown, also inside a part of the page that is closed; on paper everything is.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    let hidden = false;
    for (let fold = target?.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])")) {
      fold.open = true;
      hidden = true;
    }
    if (hidden) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("article details:not([open])")];
    for (const fold of opened) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of opened) fold.open = false; });

  // Code to copy.
  if (navigator.clipboard) {
    for (const code of document.querySelectorAll(".md-typeset pre > code")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "tf-copy";
      button.textContent = words.copy;
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(code.textContent.trimEnd());
        button.textContent = words.copied;
        setTimeout(() => { button.textContent = words.copy; }, 2000);
      });
      code.parentElement.append(button);
    }
  }

  // Contents: mark the heading that is being read.
  const links = new Map();
  for (const link of document.querySelectorAll(".tf-contents a")) {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (heading) links.set(heading, link);
  }
  if (links.size) {
    let pending = false;
    const mark = () => {
      pending = false;
      let current = null;
      for (const [heading, link] of links) if (heading.getBoundingClientRect().top < 140) current = link;
      for (const link of links.values()) {
        if (link === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    };
    addEventListener("scroll", () => {
      if (!pending) {
        pending = true;
        requestAnimationFrame(mark);
      }
    }, { passive: true });
    mark();
    const contents = document.querySelector(".tf-contents");
    contents.addEventListener("click", (event) => {
      if (event.target.closest("a") && !matchMedia("(min-width: 1180px)").matches) contents.open = false;
    });
  }
})();

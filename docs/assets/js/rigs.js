// "My rig" and the comparison of two: verdicts of any rig come from its table in the API, which the pages hold for one.
//   <select data-tf-my-rig>              cells with data-method show that rig, and it is remembered (localStorage)
//   <button data-tf-remember="rig">      remembers the rig of this page
//   <select data-tf-compare="0|1">       the two sides of each cell
(() => {
  "use strict";
  const words = JSON.parse(document.getElementById("tf-words").textContent);
  const root = new URL(words.root || "./", location.href);
  const KEY = "trainfit-rig";
  const stored = () => { try { return localStorage.getItem(KEY); } catch { return null; } };
  const remember = (rig) => {
    try {
      if (rig) localStorage.setItem(KEY, rig);
      else localStorage.removeItem(KEY);
    } catch { /* a private window forgets */ }
  };
  const tables = new Map();
  const load = (rig) => {
    if (!tables.has(rig)) {
      const table = fetch(new URL(`api/v1/rigs/${encodeURIComponent(rig)}.csv`, root)).then(async (answer) => {
        if (!answer.ok) throw new Error(String(answer.status));
        const [head, ...lines] = (await answer.text()).trim().split("\n").map((line) => line.split(","));
        const [model, method, verdict] = ["model", "method", "verdict"].map((name) => head.indexOf(name));
        return new Map(lines.map((cells) => [`${cells[model]} ${cells[method]}`, cells[verdict]]));
      });
      table.catch(() => tables.delete(rig));
      tables.set(rig, table);
    }
    return tables.get(rig);
  };
  const status = document.querySelector("[data-tf-my-rig-status]");
  const fail = () => { if (status) status.textContent = words.failed; };
  const show = (link, rig, verdict) => {
    const [sign, word] = words.verdicts[verdict];
    const chip = link.querySelector(".tf-verdict");
    chip.className = `tf-verdict tf-verdict--${verdict}`;
    chip.firstElementChild.textContent = sign;
    chip.lastChild.textContent = ` ${word}`;
    link.setAttribute("href", link.getAttribute("href").replace(/\/v\/[^/]+\//, `/v/${rig}/`));
  };
  const name = (select) => select.selectedOptions[0].textContent;
  const refilter = () => document.querySelector("[data-tf-filter]")?.dispatchEvent(new Event("change"));

  // The index of the models.
  const mine = document.querySelector("[data-tf-my-rig]");
  if (mine) {
    const built = mine.value;
    const apply = async (rig) => {
      try {
        const verdicts = await load(rig);
        for (const row of document.querySelectorAll("[data-tf-sortable] tbody tr[id]")) {
          for (const cell of row.querySelectorAll("[data-method]")) {
            show(cell.querySelector("a"), rig, verdicts.get(`${row.id} ${cell.dataset.method}`) || "unknown");
          }
        }
        const link = document.querySelector("[data-tf-rig-link]");
        link.textContent = name(mine);
        link.setAttribute("href", link.getAttribute("href").replace(/rigs\/[^/]+\//, `rigs/${rig}/`));
        status.textContent = "";
        refilter();
      } catch { fail(); }
    };
    const before = stored();
    if (before && before !== built && [...mine.options].some((option) => option.value === before)) {
      mine.value = before;
      apply(before);
    }
    mine.addEventListener("change", () => {
      remember(mine.value);
      apply(mine.value);
    });
  }

  // The page of a rig, and the row of my rig on the page of a model.
  const button = document.querySelector("[data-tf-remember]");
  if (button) {
    const label = () => {
      const is = stored() === button.dataset.tfRemember;
      button.setAttribute("aria-pressed", String(is));
      button.textContent = is ? button.dataset.on : button.dataset.off;
    };
    button.addEventListener("click", () => {
      remember(stored() === button.dataset.tfRemember ? null : button.dataset.tfRemember);
      label();
    });
    label();
  }
  const row = stored() && document.querySelector(`tr[data-rig="${CSS.escape(stored())}"]`);
  if (row) {
    row.classList.add("tf-mine");
    row.parentElement.prepend(row);
    const fold = row.closest("details");
    if (fold) fold.open = true;
  }

  // Two rigs side by side; the address says which.
  const sides = [...document.querySelectorAll("[data-tf-compare]")];
  if (sides.length) {
    const different = document.querySelector("[data-tf-different]");
    const rows = [...document.querySelectorAll("tr[data-model]")];
    const differ = document.querySelector("[data-tf-differ]");
    const hide = () => {
      for (const each of rows) each.hidden = different.checked && "same" in each.dataset;
      differ.textContent = rows.filter((each) => !("same" in each.dataset)).length;
    };
    const compare = async () => {
      try {
        const found = await Promise.all(sides.map((select) => load(select.value)));
        for (const each of rows) {
          let same = true;
          for (const cell of each.querySelectorAll("[data-method]")) {
            const pair = found.map((table) => table.get(`${each.dataset.model} ${cell.dataset.method}`) || "unknown");
            same &&= pair[0] === pair[1];
            cell.toggleAttribute("data-alike", pair[0] === pair[1]);
            for (const link of cell.querySelectorAll("[data-side]")) {
              show(link, sides[link.dataset.side].value, pair[link.dataset.side]);
            }
          }
          each.toggleAttribute("data-same", same);
        }
        for (const link of document.querySelectorAll("[data-tf-side]")) {
          const select = sides[link.dataset.tfSide];
          link.textContent = name(select);
          link.setAttribute("href", link.getAttribute("href").replace(/[^/]+\/$/, `${select.value}/`));
        }
        status.textContent = "";
        hide();
      } catch { fail(); }
    };
    const asked = new URLSearchParams(location.search);
    const built = sides.map((select) => select.value);
    ["a", "b"].forEach((key, index) => {
      const rig = asked.get(key) || (index === 1 && asked.has("a") ? stored() : null);
      if (rig && [...sides[index].options].some((option) => option.value === rig)) sides[index].value = rig;
    });
    // A rig beside itself tells nothing: where only one was asked for, the other side gives way.
    const free = asked.has("a") ? 1 : 0;
    if (sides[0].value === sides[1].value && !(asked.has("a") && asked.has("b"))) {
      sides[free].value = built.find((rig) => rig !== sides[1 - free].value) || built[free];
    }
    if (asked.has("a") || asked.has("b")) compare();
    else hide();
    for (const select of sides) {
      select.addEventListener("change", () => {
        history.replaceState(null, "", `?a=${sides[0].value}&b=${sides[1].value}`);
        compare();
      });
    }
    different.addEventListener("change", hide);
  }
})();

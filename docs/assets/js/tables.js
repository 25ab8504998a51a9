// Tables that sort and filter, on top of HTML that is complete without this file. The build marks them:
//   <div class="tf-table" data-tf-sortable>     every column head gets a button; a cell may carry data-sort="12.5"
//   <div class="tf-filter" data-tf-filter>      before such a table: a field and a list that hide rows
(() => {
  "use strict";
  const words = JSON.parse(document.getElementById("tf-words").textContent);
  const language = document.documentElement.lang;
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });
  const plural = new Intl.PluralRules(language);
  const VERDICTS = ["comfortable", "borderline", "not-recommended", "unknown"];
  const text = (element) => element.textContent.replace(/\s+/g, " ").trim();
  const verdict = (cell) => cell.querySelector(".tf-verdict");
  const word = (chip) => text(chip).replace(/^[●◐○?]\s*/, "");

  // What a cell is sorted by: its data-sort, its verdict and then its first number, its first number, its text.
  const number = (content) => {
    const match = /[−-]?\d[\d\s.,]*/.exec(content);
    if (!match) return null;
    const plain = match[0].replace("−", "-").replace(/\s/g, "").replace(/[.,]+$/, "");
    return Number(language === "ru" ? plain.replace(",", ".") : plain.replaceAll(",", ""));
  };
  const value = (cell) => {
    if (cell.dataset.sort) return [Number.isNaN(Number(cell.dataset.sort)) ? cell.dataset.sort : Number(cell.dataset.sort)];
    const chip = verdict(cell);
    const content = text(cell);
    if (chip) return [VERDICTS.findIndex((id) => chip.classList.contains(`tf-verdict--${id}`)), number(content) ?? 0];
    return [cell.tagName === "TD" && /^[−-]?\d/.test(content) ? number(content) : content];
  };
  const compare = (a, b) => {
    for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
      const both = typeof a[i] === "number" && typeof b[i] === "number";
      const order = both ? a[i] - b[i] : collator.compare(String(a[i] ?? ""), String(b[i] ?? ""));
      if (order) return order;
    }
    return 0;
  };

  for (const box of document.querySelectorAll("[data-tf-sortable]")) {
    const heads = [...box.querySelectorAll("thead tr:last-child > th")];
    const body = box.querySelector("tbody");
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "tf-sort";
      button.setAttribute("aria-label", words.sort.replace("{column}", text(head)));
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row) => [value(row.cells[column]), row]);
        rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
        body.append(...rows.map(([, row]) => row));
      });
      head.append(button);
    });
  }

  for (const bar of document.querySelectorAll("[data-tf-filter]")) {
    const table = bar.nextElementSibling.querySelector("table");
    const rows = [...table.tBodies[0].rows];
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = words.filter;
    field.setAttribute("aria-label", words.filter);
    const select = document.createElement("select");
    select.setAttribute("aria-label", words.verdict);
    select.append(new Option(words.all, ""));
    [...table.querySelectorAll("thead tr:last-child > th")].forEach((head, column) => {
      const chips = rows.map((row) => verdict(row.cells[column])).filter(Boolean);
      const found = new Map(chips.map((chip) => [word(chip), VERDICTS.findIndex((id) => chip.className.includes(id))]));
      if (found.size < 2) return;
      const group = document.createElement("optgroup");
      group.label = text(head);
      for (const [name] of [...found].sort((a, b) => a[1] - b[1])) {
        group.append(new Option(`${group.label}: ${name}`, `${column}:${name}`));
      }
      select.append(group);
    });
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    const apply = () => {
      const wanted = field.value.toLocaleLowerCase(language).split(/\s+/).filter(Boolean);
      const [, column, name] = /^(\d+):(.*)$/.exec(select.value) || [];
      let shown = 0;
      for (const row of rows) {
        const content = text(row.cells[0]).toLocaleLowerCase(language);
        const chip = column && verdict(row.cells[column]);
        const match = wanted.every((part) => content.includes(part)) && (!column || chip && word(chip) === name);
        row.hidden = !match;
        shown += match ? 1 : 0;
      }
      status.textContent = (words.rows[plural.select(shown)] || words.rows.other).replace("{count}", shown);
    };
    field.addEventListener("input", apply);
    select.addEventListener("change", apply);
    bar.append(field, select, status);
    apply();
  }
})();

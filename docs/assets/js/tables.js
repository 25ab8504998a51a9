// Tables that sort and filter, on top of HTML that is complete without this file. The build marks them:
//   <div class="tf-table" data-tf-sortable>     every column head gets a button; a cell may carry data-sort="12.5"
//   <div class="tf-filter" data-tf-filter>      before such a table: a field and lists that hide rows; the page may bring them
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

  const VERDICT_CLASS = /tf-verdict--(comfortable|borderline|not-recommended|unknown)/;
  const verdictId = (chip) => VERDICT_CLASS.exec(chip.className)?.[1];

  // The field and the list of verdicts of a bar that came empty.
  const furnish = (bar, table, rows) => {
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = words.filter;
    field.setAttribute("aria-label", words.filter);
    const select = document.createElement("select");
    select.dataset.tfVerdicts = "";
    select.setAttribute("aria-label", words.verdict);
    select.append(new Option(words.all, ""));
    [...table.querySelectorAll("thead tr:last-child > th")].forEach((head, column) => {
      const chips = rows.map((row) => verdict(row.cells[column])).filter(Boolean);
      const found = new Map(chips.map((chip) => [verdictId(chip), word(chip)]));
      if (found.size < 2) return;
      const group = document.createElement("optgroup");
      group.label = text(head);
      for (const id of VERDICTS.filter((each) => found.has(each))) {
        group.append(new Option(`${group.label}: ${found.get(id)}`, `${column}:${id}`));
      }
      select.append(group);
    });
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    bar.append(field, select, status);
  };

  for (const bar of document.querySelectorAll("[data-tf-filter]")) {
    const box = bar.nextElementSibling;
    const table = box.querySelector("table");
    const rows = [...table.tBodies[0].rows];
    if (!bar.children.length) furnish(bar, table, rows);
    const field = bar.querySelector("input[type=search]");
    const select = bar.querySelector("[data-tf-verdicts]");
    const facets = [...bar.querySelectorAll("[data-tf-facet]")];
    const compact = bar.querySelector("[data-tf-compact]");
    const status = bar.querySelector("[role=status]");
    const apply = () => {
      const wanted = field.value.toLocaleLowerCase(language).split(/\s+/).filter(Boolean);
      const [, column, id] = /^(\d+):(.*)$/.exec(select?.value || "") || [];
      let shown = 0;
      for (const row of rows) {
        const content = text(row.cells[0]).toLocaleLowerCase(language);
        const chip = column && verdict(row.cells[column]);
        const match = wanted.every((part) => content.includes(part)) && (!column || chip && verdictId(chip) === id)
          && facets.every((facet) => !facet.value || row.dataset[facet.dataset.tfFacet] === facet.value);
        row.hidden = !match;
        shown += match ? 1 : 0;
      }
      status.textContent = (words.rows[plural.select(shown)] || words.rows.other).replace("{count}", shown);
    };
    field.addEventListener("input", apply);
    bar.addEventListener("change", apply);
    compact?.addEventListener("change", () => box.classList.toggle("tf-table--compact", compact.checked));
    apply();
  }

  // Every table as a file: what it shows, in the order in which it shows it. Room for the buttons is in the style sheet.
  const bare = (cell) => {
    const copy = cell.cloneNode(true);
    for (const extra of copy.querySelectorAll("button, .tf-verdict__sign, [aria-hidden=true]")) extra.remove();
    return text(copy);
  };
  const quoted = (value) => `"${(/^[=+@\t\r-]/.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;
  const formats = {
    CSV: (head, rows) => [head, ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n",
    JSON: (head, rows) => JSON.stringify(rows.map((row) => Object.fromEntries(row.map((cell, i) => [head[i] || String(i), cell]))), null, 1),
  };
  for (const table of document.querySelectorAll(".tf-table > table, table.tf-bars")) {
    if (!table.tHead || !table.tBodies.length) continue;
    const box = table.closest(".tf-table") || table;
    const label = box.getAttribute("aria-label") || (table.caption ? text(table.caption) : document.title);
    const line = document.createElement("p");
    line.className = "tf-download";
    for (const [format, write] of Object.entries(formats)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = format;
      button.setAttribute("aria-label", words.download.replace("{table}", label).replace("{format}", format));
      button.addEventListener("click", () => {
        const head = [...table.tHead.rows[table.tHead.rows.length - 1].cells].map(bare);
        const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !row.hidden);
        const content = write(head, rows.map((row) => [...row.cells].map(bare)));
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([content], { type: format === "CSV" ? "text/csv" : "application/json" }));
        link.download = `trainfit-${location.pathname.split("/").filter(Boolean).pop() || "home"}.${format.toLowerCase()}`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 1000);
      });
      line.append(button);
    }
    box.after(line);
  }
})();

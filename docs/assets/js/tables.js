// Tables that sort and filter, on top of HTML that is complete without this file.
//   <div class="tf-table" data-tf-sortable>     every column head becomes a button; a cell may carry data-sort="12.5"
//   <div class="tf-table" data-tf-filterable>   a field above the table hides the rows that lack its words
//   <th data-tf-choices>                        in a filterable table: also a list of this column's verdicts or values
(() => {
  "use strict";
  const words = JSON.parse(document.getElementById("tf-words").textContent);
  const language = document.documentElement.lang;
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: "base" });
  const plural = new Intl.PluralRules(language);
  const text = (cell) => cell.textContent.replace(/\s+/g, " ").trim();
  const chosen = (cell) => {
    const verdict = cell.querySelector(".tf-verdict");
    return verdict ? text(verdict).replace(/^[●◐○?]\s*/, "") : text(cell);
  };
  const value = (cell) => {
    const given = cell.dataset.sort;
    if (given === undefined) return text(cell);
    return given === "" || Number.isNaN(Number(given)) ? given : Number(given);
  };
  const compare = (a, b) => {
    if (a === b) return 0;
    if (a === "") return 1;
    if (b === "") return -1;
    return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
  };

  for (const box of document.querySelectorAll(".tf-table[data-tf-sortable]")) {
    const heads = [...box.querySelectorAll("thead tr:last-child > th")];
    const body = box.querySelector("tbody");
    heads.forEach((head, column) => {
      if (!text(head)) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "tf-sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row) => [value(row.cells[column]), row]);
        rows.sort(([a], [b]) => {
          if (a === "" || b === "") return compare(a, b);
          return down ? compare(b, a) : compare(a, b);
        });
        body.append(...rows.map(([, row]) => row));
      });
    });
  }

  for (const box of document.querySelectorAll(".tf-table[data-tf-filterable]")) {
    const table = box.querySelector("table");
    const rows = [...table.tBodies[0].rows];
    const bar = document.createElement("div");
    bar.className = "tf-filter";
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", words.filter);
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = words.filter;
    field.setAttribute("aria-label", words.filter);
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    const choices = [];
    const apply = () => {
      const wanted = field.value.toLocaleLowerCase(language).split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const content = text(row).toLocaleLowerCase(language);
        const match = wanted.every((word) => content.includes(word))
          && choices.every(([column, select]) => !select.value || chosen(row.cells[column]) === select.value);
        row.hidden = !match;
        shown += match;
      }
      const form = words.rows[plural.select(shown)] || words.rows.other;
      status.textContent = form.replace("{count}", shown);
    };
    bar.append(field);
    [...table.querySelectorAll("thead tr:last-child > th")].forEach((head, column) => {
      if (!("tfChoices" in head.dataset)) return;
      const label = document.createElement("label");
      const select = document.createElement("select");
      select.append(new Option(words.all, ""));
      const values = new Set(rows.map((row) => chosen(row.cells[column])));
      for (const choice of [...values].filter(Boolean).sort(collator.compare)) select.append(new Option(choice, choice));
      select.addEventListener("change", apply);
      label.append(text(head).replace(/ [↕↑↓]$/, ""), select);
      bar.append(label);
      choices.push([column, select]);
    });
    bar.append(status);
    field.addEventListener("input", apply);
    box.before(bar);
    apply();
  }
})();

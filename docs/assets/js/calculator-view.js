// The answer of the calculator as HTML elements. Words come from the page, every value goes in as text.
(() => {
  "use strict";
  const C = TrainfitCalculator, { data, say, gib, number, tokens, share } = C;

  // element("p", "class", child, child…): texts stay texts.
  const element = (tag, classes = "", ...children) => {
    const made = document.createElement(tag);
    if (classes) made.className = classes;
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };
  const portion = (value) => `${Math.max(0, Math.min(value, 1)) * 100}%`;
  const verdictWord = (id) => say(`verdicts.${id}.word`);
  const chip = (id) => {
    const sign = element("span", "tf-verdict__sign", data.texts.signs[id]);
    sign.setAttribute("aria-hidden", "true");
    return element("span", `tf-verdict tf-verdict--${id}`, sign, ` ${verdictWord(id)}`);
  };
  const part = (heading, ...children) => element("div", "tf-answer__part", element("h3", "", heading), ...children);
  const facts = (rows) => element("dl", "tf-facts", ...rows.map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value))));

  // Peak against the card: low to high as a band, the expected peak as a line, the two limits as ticks.
  const scale = ({ result }) => {
    const { low, expected, high } = result.peak_gib, { usable_gib: usable } = result;
    const whole = Math.max(usable, Math.min(high, usable * 1.6)) * 1.02;
    const bar = element("div", "tf-scale");
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", say("calculator.result.scale", { low: gib(low), high: gib(high), peak: gib(expected), usable: gib(usable) }));
    const place = (classes, from, to = null) => {
      const piece = element("span", classes);
      piece.style.setProperty("--from", portion(from / whole));
      if (to !== null) piece.style.setProperty("--to", portion(to / whole));
      bar.append(piece);
    };
    place(`tf-scale__peak tf-scale__peak--${result.fits}`, 0, expected);
    place("tf-scale__card", 0, usable);
    place("tf-scale__band", low, high);
    place("tf-scale__limit", usable * data.policy.comfortable_ratio);
    place("tf-scale__limit", usable * data.policy.borderline_ratio);
    return bar;
  };
  const peak = (answer) => {
    const { result } = answer, { low, expected, high } = result.peak_gib;
    const numbers = element("p", "tf-answer__numbers", element("strong", "", gib(expected)), ` / ${gib(result.usable_gib)} · ${share(result.ratio)}`);
    return element("div", "", numbers, scale(answer),
      element("p", "tf-small", `${say("calculator.result.scale", { low: gib(low), high: gib(high), peak: gib(expected), usable: gib(result.usable_gib) })} ${say("calculator.result.limits", {
        comfortable: gib(result.usable_gib * data.policy.comfortable_ratio), borderline: gib(result.usable_gib * data.policy.borderline_ratio), overhead: gib(result.overhead_gib) })}`));
  };

  // What occupies memory: a row for each moment, a segment for each part; the table says the same in numbers.
  const termName = (term) => say(`methodology.term.${term}`);
  const phases = ({ result }) => {
    const rows = result.phases_gib.items().map(([phase, terms]) => [phase, terms.items(), terms.values().reduce((sum, value) => sum + value, 0)]);
    const whole = Math.max(...rows.map(([, , sum]) => sum), result.usable_gib);
    const body = element("tbody", "", ...rows.map(([phase, terms, sum]) => {
      const stack = element("div", "tf-stackbar", ...terms.map(([term, value]) => {
        const piece = element("span", `tf-term tf-term--${term}`);
        piece.style.width = portion(value / whole);
        piece.title = `${termName(term)}: ${gib(value)}`;
        return piece;
      }));
      stack.setAttribute("aria-hidden", "true");
      const name = element("th", "", say(`methodology.phase.${phase}.name`), phase === result.peak_phase ? element("strong", "tf-peak", ` ${say("calculator.result.peak")}`) : null);
      name.scope = "row";
      return element("tr", phase === result.peak_phase ? "tf-is-peak" : "", name, element("td", "tf-stackcell", stack), element("td", "tf-right", gib(sum)));
    }));
    const head = element("tr", "", ...["phase", "memory", "gib"].map((name) => {
      const cell = element("th", name === "gib" ? "tf-right" : "", say(`calculator.result.${name}`));
      cell.scope = "col";
      return cell;
    }));
    const table = element("table", "tf-phases", element("thead", "", head), body);
    const caption = table.createCaption();
    caption.className = "tf-sr";
    caption.textContent = say("calculator.result.phases");
    const terms = rows.find(([phase]) => phase === result.peak_phase)[1].filter(([, value]) => value > 0).sort((a, b) => b[1] - a[1]);
    const legend = element("ul", "tf-terms", ...terms.map(([term, value]) => {
      const mark = element("span", `tf-term tf-term--${term}`);
      mark.setAttribute("aria-hidden", "true");
      return element("li", "", mark, element("span", "", termName(term)), element("span", "tf-num", gib(value)));
    }));
    return part(say("calculator.result.phases"), table,
      element("p", "tf-answer__sub", say("calculator.result.terms", { phase: say(`methodology.phase.${result.peak_phase}.when`) })), legend);
  };

  const speed = (answer, all) => {
    const { result, hours, goal, gpu } = answer, n = Number(all.n_gpus), band = result.tokens_per_sec_per_gpu;
    const host = [["host", result.host_ram_gib], ["host_loading", result.host_loading_gib]].filter(([, memory]) => memory > 0)
      .map(([key, memory]) => element("p", "", say(`calculator.result.${key}`, { memory: gib(memory, 0) })));
    if (band === null) return part(say("calculator.result.speed"), element("p", "", say("calculator.result.no_speed")), ...host);
    const range = (low, high, digits = 0) => `${number(low, digits)}–${number(high, digits)}`;
    const kwh = hours.expected * n * gpu.tdp_w / 1000;
    const rows = [
      [say("calculator.result.per_gpu"), `${number(band.expected)} (${range(band.low, band.high)})`],
      [say("calculator.result.total"), number(band.expected * n)],
      [say("calculator.result.time", { tokens: tokens(answer.tokens) }), `${C.duration(hours.expected, goal)} (${C.durationRange(hours.low, hours.high, goal)})`],
      [say("calculator.result.energy"), C.unit(kwh, "kilowatt_hour", kwh < 10 ? 1 : 0)],
    ];
    const byHour = Number(all.price_per_gpu_hour) * hours.expected * n, byPower = Number(all.price_per_kwh) * kwh;
    if (byHour || byPower) {
      const parts = [[byHour, "cost_gpu"], [byPower, "cost_power"]].filter(([cost]) => cost > 0);
      const detail = parts.length > 1 ? ` (${parts.map(([cost, name]) => `${say(`calculator.result.${name}`)} ${number(cost, cost < 100 ? 2 : 0)}`).join(", ")})` : "";
      rows.push([say("calculator.result.cost"), number(byHour + byPower, byHour + byPower < 100 ? 2 : 0) + detail]);
    }
    const bound = result.break_even_tokens === 0 ? "none" : result.bound;
    const limit = bound === "none" ? "bound_none" : `bound_${bound}`;
    const noted = say(`calculator.result.${limit}`, { tokens: C.tokensLimit(Math.round(result.break_even_tokens)) });
    return part(say("calculator.result.speed"), facts(rows), element("p", "tf-small", noted), ...host);
  };

  const context = (answer) => {
    const { longest } = answer;
    const key = longest === null ? "context_none" : answer.context !== null && longest + 256 > answer.context ? "context_model" : "context_fits";
    return part(say("calculator.result.context"), element("p", "", say(`calculator.result.${key}`, { tokens: tokens(longest ?? 256) })));
  };

  // A change in words: «Оптимизатор: 8-битный AdamW».
  const settingWords = (name, value) => {
    const text = name === "lora_targets" ? "all-linear" : C.textOf(value);
    const shown = name === "method" ? data.texts.methods[text] : ["seq_len", "micro_batch", "n_gpus"].includes(name) ? number(Number(text)) : C.choice(name, text);
    return `${C.settingName(name)}: ${shown}`;
  };
  const changes = (answer, all, apply) => {
    const heading = say("calculator.result.change");
    if (answer.result.fits === "yes" || answer.result.fits === "tight") return part(heading, element("p", "", say("calculator.result.change_fits")));
    if (!answer.changes.length) return part(heading, element("p", "", say("calculator.result.change_nothing")));
    const list = element("ul", "tf-changes", ...answer.changes.map((change) => {
      const named = change.settings.items().filter(([name]) => name !== "lora_targets" && !(change.settings.has("method") && name !== "method"));
      const words = named.map(([name, value]) => settingWords(name, value)).join(" · ");
      const button = element("button", "tf-button", say("calculator.result.apply"));
      button.type = "button";
      button.setAttribute("aria-label", `${say("calculator.result.apply")}: ${words}`);
      // A change may give something up or take long: its verdict is that of the whole plan, not of its memory alone.
      const changed = C.changedBy(all, C.textsOf(change.settings));
      button.addEventListener("click", () => apply(changed));
      return element("li", "", chip(C.judgedOf(changed).verdict), element("span", "", say("calculator.result.change_to", { settings: words, peak: gib(change.peak_gib) })), button);
    }));
    const several = answer.changes.length === 1 && answer.changes[0].settings.size > 2 && !answer.changes[0].settings.has("method");
    return part(heading, element("p", "", say(`calculator.result.${several ? "change_all" : answer.changes.length > 1 ? "change_each" : "change_one"}`)), list);
  };

  // A button that copies; nothing where the browser keeps the clipboard to itself.
  const copier = (name, text) => {
    if (!navigator.clipboard) return null;
    const button = element("button", "tf-button", say(name));
    button.type = "button";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text());
      button.textContent = say("calculator.result.copied");
      setTimeout(() => { button.textContent = say(name); }, 2000);
    });
    return button;
  };
  const copyable = (text) => {
    const code = element("code", "", text);
    const box = element("pre", "", code);
    box.tabIndex = 0;
    return element("div", "tf-command", box, copier("calculator.result.copy", () => text));
  };
  const run = (answer, all, links) => {
    const known = links.filter(([, path]) => data.texts.pages.includes(path));
    const nodes = known.flatMap(([name, path], index) => {
      const link = element("a", "", name);
      link.href = `../${path}`;
      return index ? [" · ", link] : [link];
    });
    const config = C.configOf(all, answer.verdict);
    const made = config ? [element("p", "tf-answer__sub", say("calculator.result.config_for")), copyable(config)] : [];
    return part(say("calculator.result.run"), copyable(C.commandOf(all)), ...made, ...(nodes.length ? [element("p", "tf-small", ...nodes)] : []));
  };

  const reasons = (answer) => part(say("calculator.result.reasons"),
    element("ul", "", ...answer.reasons.map((reason) => element("li", "", C.reason(reason.id, reason.values.items(), answer.goal)))),
    answer.compromise ? element("p", "", `${say("calculator.result.compromise")} ${data.texts.recipes[answer.compromise.id].gives_up}`) : null);

  const assumptions = ({ result }) => part(say("calculator.result.assumptions"),
    element("ul", "tf-small", ...result.assumptions.map((id) => element("li", "", say(`assumptions.${id}`)))));

  const names = (all) => ({
    model: all.model ? TrainfitModels[all.model].name : all.params_b ? C.billions(Number(all.params_b) * 1e9) : "config.json",
    method: data.texts.methods[all.method],
  });
  const headline = (answer, all) => {
    const { model, method } = names(all);
    const machine = `${all.n_gpus}× ${data.gpus[all.gpu].name}`;
    const top = element("div", "tf-answer__top", chip(answer.verdict), copier("calculator.result.link", () => location.href));
    return element("div", "tf-answer__head", top, element("p", "", `${method}: ${model}, ${machine}`));
  };

  // All of the answer, and the sentence that a screen reader says.
  const show = (answer, all, apply) => {
    if (answer.unmodelled) {
      const kinds = answer.unmodelled.map((id) => say(`models.feature.${id}`)).join(", ");
      const text = say("calculator.result.unknown", { kinds });
      return { nodes: [headline(answer, all), element("p", "", text)], status: text };
    }
    const { result } = answer, { model, method } = names(all);
    const word = verdictWord(answer.verdict);
    const status = say("calculator.result.summary", {
      verdict: word.charAt(0).toUpperCase() + word.slice(1), model, method, peak: gib(result.peak_gib.expected), usable: gib(result.usable_gib) });
    const links = [[model, `models/${all.model}/`], [data.texts.rigs[all.rig] ?? "", `rigs/${all.rig}/`]];
    const nodes = [headline(answer, all), peak(answer), reasons(answer), changes(answer, all, apply), phases(answer), speed(answer, all), context(answer), assumptions(answer), run(answer, all, links)];
    return { nodes, status };
  };
  const refusal = (key, error) => {
    const detail = element("code", "", error.message);
    detail.lang = "en";
    return element("p", "tf-answer__refusal", `${say(key)} `, detail);
  };

  Object.assign(C, { element, show, refusal, chip, settingWords });
})();

// The form of the calculator: what a reader does becomes the state, the address and the answer.
(() => {
  "use strict";
  const E = TrainfitEngine, C = TrainfitCalculator, { data, say } = C;
  const box = document.querySelector("[data-tf-calculator]");
  const form = box.querySelector("form");
  const find = (name) => document.getElementById(`c-${name}`);
  const hint = (name, text) => { document.getElementById(`h-${name}`).textContent = text; };
  const MAX_CONFIG_KB = 1024;
  const SETTLED_MS = 800;
  const REFUSALS = new Set(["UnsupportedArchitecture", "PlanError"]);
  let all = null, spoken = null;

  // The reader of config.json comes when it is needed.
  let reader = null;
  const withReader = () => (reader ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = [...document.scripts].find((each) => /engine\.js$/.test(each.src)).src.replace(/engine\.js$/, "engine-configs.js");
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  }));

  for (const [id, model] of Object.entries(TrainfitModels)) {
    const option = document.createElement("option");
    option.value = model.name;
    option.dataset.id = id;
    find("models").append(option);
  }

  // ── From the state to the form ──
  const options = () => {
    const list = find("recipe");
    list.replaceChildren(...data.methods[all.method].ladder.map(({ id }) => new Option(data.texts.recipes[id].name, id)));
    list.value = all.recipe;
  };
  const source = () => (all.config ? "file" : all.params_b ? "size" : "catalogue");
  const showSource = (name) => {
    for (const radio of form.elements.source) radio.checked = radio.value === name;
    for (const part of box.querySelectorAll("[data-source]")) part.hidden = part.dataset.source !== name;
  };
  // A field that somebody types in stays as it is, unless the state came from the address.
  const fill = (every) => {
    options();
    const free = (field) => every || field !== document.activeElement;
    for (const field of form.elements) {
      if (field.name && field.name in all && free(field) && field.name !== "source") field.value = all[field.name];
      if (every) field.removeAttribute("aria-invalid");
    }
    if (free(find("model")) && all.model) find("model").value = TrainfitModels[all.model].name;
    if (free(find("config"))) find("config").value = all.config;
    showSource(source());
    const { trains } = data.methods[all.method];
    const meaningful = { adapters: trains === "adapters", quantised: all.method === "qlora", several: all.n_gpus !== "1" };
    for (const part of box.querySelectorAll("[data-only]")) part.hidden = !meaningful[part.dataset.only];
    box.querySelector('[data-field="grad_sync"]').hidden = all.grad_accum === "1";
    const changed = C.changedFrom(all), line = box.querySelector("[data-changed]");
    line.hidden = !changed.length;
    if (changed.length) {
      const button = C.element("button", "tf-button", say("calculator.method.reset"));
      button.type = "button";
      button.addEventListener("click", () => { change({ recipe: all.recipe }, "recipe"); find("recipe").focus(); });
      line.replaceChildren(`${say("calculator.method.changed")} ${changed.map((name) => C.settingWords(name, all[name])).join(" · ")} `, button);
    }
  };
  const hints = (shape) => {
    const rig = data.rigs[all.rig];
    hint("bus_gb_per_s", rig ? say(`calculator.machine.bus.${rig.bus_kind}`, { value: C.number(rig.bus_gb_per_s, 1, true), p2p: say(`calculator.machine.${rig.p2p ? "with" : "without"}_p2p`) }) : all.bus_gb_per_s ? "" : say("calculator.machine.bus_unknown"));
    hint("host_ram_gib", rig ? "" : say("calculator.machine.ram_unknown"));
    if (!shape) return;
    const parameters = C.billions(E.count_parameters(shape).total);
    const size = { parameters, layers: C.number(shape.layers), hidden: C.number(shape.hidden), heads: C.number(shape.heads), kv_heads: C.number(shape.kv_heads), vocab: C.number(shape.vocab) };
    hint("model", say("calculator.model.counted", size));
    hint("params_b", all.params_b ? say("calculator.model.assumed", size) : "");
    hint("config", all.config ? say("calculator.model.counted", size) : "");
  };

  // ── From the state to the answer ──
  const tell = (text) => {
    clearTimeout(spoken);
    spoken = setTimeout(() => { box.querySelector("[data-status]").textContent = text; }, SETTLED_MS);
  };
  const bar = (answer) => {
    const line = box.querySelector("[data-bar]");
    line.replaceChildren(C.chip(answer.verdict), ...(answer.result ? [` ${C.gib(answer.result.peak_gib.expected)} / ${C.gib(answer.result.usable_gib)}`] : []));
    line.setAttribute("aria-label", `${line.textContent.trim()}. ${say("calculator.result.jump")}`);
  };
  const answerNow = () => {
    const place = box.querySelector("[data-answer]");
    hints(null);
    try {
      const answer = C.answer(all);
      hints(answer.shape);
      const { nodes, status } = C.show(answer, all, (state) => go(state, true));
      place.replaceChildren(...nodes);
      C.shown = { state: all, answer };
      bar(answer);
      tell(status);
    } catch (error) {
      if (!(error instanceof E.$Refusal) || !REFUSALS.has(error.name)) throw error;
      const about = all.config && error.name === "UnsupportedArchitecture" ? "calculator.model.refused" : "calculator.result.invalid";
      place.replaceChildren(C.refusal(about, error));
      box.querySelector("[data-bar]").replaceChildren(C.chip("unknown"));
      tell(`${say(about)} ${error.message}`);
    }
  };
  const refresh = async (every = false) => {
    if (all.config) await withReader();
    fill(every);
    answerNow();
  };

  // ── From the reader to the state ──
  const TRAINING = new Set(["recipe", "precision", "optimizer", "optimizer_impl", "sharding", "cpu_offload", "grad_checkpointing", "attention", "kernels",
    "fused_ce", "compile", "reduce_dtype", "root_wrap", "reshard", "quant", "adapter_dtype", "kbit_preparation", "shifted_logits", "chunked_ce", "whole_copy", "load_on_card", "matmul_keeps_input",
    "fabric_quantization", "fp32_logits", "keeps_last_step", "train_embeddings", "lora_dropout"]);
  const MACHINE = new Set(["gpu", "n_gpus", "bus_gb_per_s", "host_ram_gib"]);
  const without = (state, names) => Object.fromEntries(Object.entries(state).filter(([name]) => !names.has(name)));
  const change = (changes, cause, push = true) => {
    let given = Object.fromEntries(C.shortest(all));
    if ("model" in changes || "params_b" in changes || "config" in changes) given = without(given, new Set(["model", "params_b", "config"]));
    if (cause === "method" || cause === "recipe") given = without(given, TRAINING);
    if (cause === "rig") given = without(given, MACHINE);
    if (("gpu" in changes || "n_gpus" in changes) && given.rig) given = { ...without(given, new Set(["rig"])), gpu: all.gpu, n_gpus: all.n_gpus };
    if (changes.rig === C.OWN) changes = { ...changes, gpu: all.gpu, n_gpus: all.n_gpus };
    return go(C.complete({ ...given, ...changes }), push);
  };
  const go = (state, push) => {
    all = state;
    history[push ? "pushState" : "replaceState"](null, "", `?${C.queryOf(all)}${location.hash}`);
    languages();
    return refresh();
  };
  const languages = () => {
    for (const link of document.querySelectorAll("[data-tf-language]")) link.search = location.search;
  };

  const valid = (field) => {
    if (!("min" in field.dataset)) return true;
    const text = field.value.trim().replace(/[\s\u00a0]/g, "").replace(",", ".");
    if (text === "") return true;
    const value = Number(text);
    return Number.isFinite(value) && value >= Number(field.dataset.min) && value <= Number(field.dataset.max) && (!("whole" in field.dataset) || Number.isInteger(value));
  };
  const taken = (field, push) => {
    if (field.name === "source") {
      showSource(field.value);
      if (field.value === "catalogue" && !all.model) return change({ model: data.start.model }, "model", push);
      return undefined;
    }
    const isValid = valid(field);
    field.setAttribute("aria-invalid", String(!isValid));
    if (field === find("model")) {
      const id = C.findModel(field.value.trim());
      field.setAttribute("aria-invalid", String(id === null));
      if (id === null) hint("model", say("calculator.model.unknown"));
      return id === null || id === all.model ? undefined : change({ model: id }, "model", push);
    }
    if (field === find("config")) return field.value.trim() ? readConfig(field.value, push) : undefined;
    if (!field.name || !isValid) return undefined;
    const text = "min" in field.dataset ? field.value.trim().replace(/[\s\u00a0]/g, "").replace(",", ".") : field.value;
    if (field.name === "params_b" && text === "") return undefined;
    const value = "min" in field.dataset && text !== "" ? String(Number(text)) : text;
    return value === all[field.name] ? undefined : change({ [field.name]: value }, field.name, push);
  };
  // The list of models shows what the field holds: a new name takes the place of the old one.
  find("model").addEventListener("focus", () => find("model").select());
  form.addEventListener("submit", (event) => event.preventDefault());
  // Typing answers at every key, but is one step back in the history.
  let typing = null;
  form.addEventListener("input", (event) => {
    if (event.target.tagName !== "INPUT" || event.target.type !== "text") return;
    if (taken(event.target, typing !== event.target)) typing = event.target;
  });
  form.addEventListener("change", (event) => {
    typing = null;
    if (event.target.id !== "c-file") taken(event.target, true);
  });

  // config.json: only the fields that were read stay, so that the address stays short.
  const readConfig = async (text, push = true) => {
    await withReader();
    try {
      return await change({ config: E.fields_read(text) }, "config", push);
    } catch (error) {
      const message = error instanceof E.$Refusal ? error.message : String(error.message);
      const detail = C.element("code", "", message);
      detail.lang = "en";
      document.getElementById("h-config").replaceChildren(`${say("calculator.model.refused")} `, detail);
      find("config").setAttribute("aria-invalid", "true");
      tell(`${say("calculator.model.refused")} ${message}`);
      return undefined;
    }
  };
  const readFile = async (file) => {
    if (!file) return;
    showSource("file");
    if (file.size > MAX_CONFIG_KB * 1024) {
      hint("config", say("calculator.model.too_large", { limit: C.number(MAX_CONFIG_KB) }));
      return;
    }
    find("config").value = await file.text();
    find("config").setAttribute("aria-invalid", "false");
    await readConfig(find("config").value);
  };
  find("file").addEventListener("change", (event) => readFile(event.target.files[0]));
  box.addEventListener("dragover", (event) => event.preventDefault());
  box.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    readFile(event.dataTransfer.files[0]);
  });

  const fromAddress = () => {
    const given = C.ofQuery(location.search);
    if (given.model) given.model = C.findModel(given.model) ?? "";
    if (!(Number(given.params_b) > 0)) delete given.params_b;
    all = C.complete(given);
    languages();
    return refresh(true);
  };
  addEventListener("popstate", fromAddress);
  C.ready = fromAddress();
})();

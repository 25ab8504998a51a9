// The state of the calculator: texts by parameter, as in the address; from them a plan, a command, a shorter address.
(() => {
  "use strict";
  const E = TrainfitEngine, C = TrainfitCalculator, { data } = C;
  const catalog = E.catalogOf(data);
  const OWN = "";
  const FLAGS = new Set(E.Plan.$fields.filter((name) => ["y", "n"].includes(textOf(sample()[name]))));
  const NUMBERS = new Set(["n_gpus", "seq_len", "micro_batch", "grad_accum", "lora_rank", "bus_gb_per_s", "lora_dropout"]);
  const WHOLE = new Set(["n_gpus", "seq_len", "micro_batch", "grad_accum", "lora_rank"]);
  const DECIMAL = new Set(["params_b", "bus_gb_per_s", "host_ram_gib", "lora_dropout", "tokens_millions", "price_per_gpu_hour", "price_per_kwh"]);
  const sound = (name, text) => (WHOLE.has(name) ? /^0*[1-9]\d{0,8}$/.test(text) : !DECIMAL.has(name) || /^\d{1,12}(\.\d*)?$/.test(text));
  const BILLION = 1e9, MILLION = 1e6;

  // A plan with all defaults, to see which fields there are and of what kind.
  function sample() {
    return E.planOf({ model: "", shape: null, gpu: "", n_gpus: 1, method: "full" });
  }
  function textOf(value) {
    if (typeof value === "boolean") return value ? "y" : "n";
    return value === null || value === undefined ? "" : String(value);
  }

  // The longest names first, so that «Qwen3 8B» wins over «8B».
  const plainName = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const modelIds = new Map();
  for (const [id, model] of Object.entries(TrainfitModels)) {
    for (const name of [...model.names, model.name, id]) modelIds.set(plainName(name), id);
  }
  const findModel = (text) => (Object.hasOwn(TrainfitModels, text) ? text : modelIds.get(plainName(text)) ?? null);

  const recipeOf = ({ method, recipe, n_gpus }) => {
    const { ladder } = data.methods[method];
    const named = ladder.find((each) => each.id === recipe);
    return named ?? ladder.find((each) => n_gpus !== "1" || !each.needs.includes("several-gpus")) ?? ladder[0];
  };
  const rigLike = (gpu, count) => Object.values(data.rigs).find((rig) => rig.gpu === gpu && String(rig.count) === count);

  // The default of every parameter, given those that others depend on: method, recipe, rig, cards.
  const defaults = (given) => {
    const named = (name, table) => (Object.hasOwn(table, given[name] ?? "") ? given[name] : undefined);
    const method = named("method", data.methods) ?? Object.keys(data.methods)[0];
    const rig = given.rig === OWN ? OWN : named("rig", data.rigs) ?? (named("gpu", data.gpus) ? OWN : data.start.rig);
    const gpu = named("gpu", data.gpus) ?? data.rigs[rig]?.gpu ?? Object.keys(data.gpus)[0];
    const n_gpus = given.n_gpus || textOf(data.rigs[rig]?.count ?? 1);
    const like = rigLike(gpu, n_gpus);
    const recipe = recipeOf({ method, recipe: given.recipe, n_gpus });
    const settings = Object.fromEntries(Object.entries(recipe.settings).map(([name, value]) => [name, textOf(value)]));
    const fields = Object.fromEntries(Object.entries(sample()).map(([name, value]) => [name, textOf(value)]));
    const all = {
      ...fields, ...settings,
      model: given.params_b || given.config ? "" : data.start.model, params_b: "", config: "",
      method, rig, gpu, n_gpus, recipe: recipe.id, grad_sync: "each", compile: "n",
      bus_gb_per_s: textOf(like?.bus_gb_per_s), host_ram_gib: textOf(like?.host_memory_gib),
      tokens_millions: "", price_per_gpu_hour: "", price_per_kwh: "",
      ...Object.fromEntries(Object.entries(data.workload).map(([name, value]) => [name, textOf(value)])),
    };
    if (n_gpus === "1") all.sharding = "none";
    return Object.fromEntries(data.texts.parameters.filter((name) => name in all).map((name) => [name, all[name]]));
  };

  // Every parameter: what is given, the default for what is not. A blank is the default, as in `trainfit estimate`.
  const complete = (given) => {
    const known = Object.fromEntries(Object.entries(given).filter(([name, value]) => data.texts.parameters.includes(name) && (value !== "" || name === "rig") && sound(name, value)));
    const rig = Object.hasOwn(data.rigs, known.rig ?? "") ? data.rigs[known.rig] : null;
    if (rig && ((known.gpu ?? rig.gpu) !== rig.gpu || (known.n_gpus ?? textOf(rig.count)) !== textOf(rig.count))) {
      Object.assign(known, { gpu: known.gpu ?? rig.gpu, n_gpus: known.n_gpus ?? textOf(rig.count), rig: OWN });
    }
    const base = defaults(known);
    const all = { ...base, ...known };
    for (const name of ["method", "recipe", "rig", "gpu"]) all[name] = base[name];
    if (all.n_gpus === "1") all.sharding = "none";
    return all;
  };

  // What an address must say so that `complete` gives the same again; context and micro-batch always stand there.
  const ALWAYS = new Set(["seq_len", "micro_batch"]);
  const shortest = (all) => {
    const names = ["model", "params_b", "config", ...(all.rig === OWN ? ["gpu", "n_gpus"] : ["rig"]), "method", "recipe"];
    const key = Object.fromEntries(names.filter((name) => all[name] !== "").map((name) => [name, all[name]]));
    const base = defaults(key);
    const rest = (name) => all[name] !== "" && name !== "rig" && (ALWAYS.has(name) || all[name] !== base[name]);
    return data.texts.parameters.filter((name) => name in all && (name in key || rest(name))).map((name) => [name, all[name]]);
  };

  const queryOf = (all) => new URLSearchParams(shortest(all)).toString();
  const ofQuery = (query) => Object.fromEntries(new URLSearchParams(query));

  // The state with some settings changed and all others kept, told by the recipe of its method that it is nearest to.
  const changedBy = (all, changes) => {
    const state = { ...all, ...changes };
    const differing = (recipe) => changedFrom({ ...state, recipe: recipe.id }).length;
    state.recipe = data.methods[state.method].ladder.toSorted((a, b) => differing(a) - differing(b))[0].id;
    return complete(Object.fromEntries(shortest(state)));
  };

  // The settings of a proposed change as texts; which matrices adapters wrap is the preset of the state.
  const textsOf = (settings) => Object.fromEntries(settings.items().filter(([name]) => name !== "lora_targets").map(([name, value]) => [name, textOf(value)]));

  // The settings of training that differ from the recipe, by name.
  const changedFrom = (all) => {
    const { settings } = recipeOf(all);
    return Object.keys(settings).filter((name) => textOf(settings[name]) !== all[name] && !(name === "sharding" && all.n_gpus === "1"));
  };

  const shapes = new Map();
  const shapeOf = (all) => {
    const key = all.config ? `c${all.config}` : all.params_b ? `p${all.params_b}` : `m${all.model}`;
    if (!shapes.has(key)) {
      shapes.set(key, all.config ? E.shape_of(all.config)
        : all.params_b ? E.shape_of_size(Number(all.params_b) * BILLION) : E.unpacked(TrainfitModels[all.model].shape));
    }
    return shapes.get(key);
  };

  // The plan of a complete state; throws a refusal for settings that do not go together.
  const planOf = (all) => {
    const { trains, goal } = data.methods[all.method];
    let shape = shapeOf(all);
    if (goal === "pretraining") shape = E.$replace(shape, { tower_parameters: 0 });
    const settings = { model: all.model || "own", shape };
    for (const name of E.Plan.$fields) {
      if (name in settings) continue;
      const text = all[name] ?? "";
      if (FLAGS.has(name)) settings[name] = text === "y";
      else if (NUMBERS.has(name)) settings[name] = text === "" ? null : Number(text);
      else settings[name] = text;
    }
    settings.lora_targets = trains === "adapters" ? E.LORA_TARGETS.get(all.lora_targets) : [];
    return E.planOf(settings);
  };

  // A recipe of the method that gives up what this plan gives up; none for a plan that gives nothing up.
  const compromiseOf = (all) => {
    const same = (recipe) => ["precision", "optimizer", "cpu_offload"].every((name) => recipe.settings[name] === all[name]);
    const alike = data.methods[all.method].ladder.filter(same);
    return alike.length && alike.every((recipe) => recipe.compromise) ? alike[0] : null;
  };

  // What the plan needs and the card has not: bf16, or a platform that some recipe of the method runs on.
  const missing = (all, gpu) => {
    const runs = ({ platforms }) => !platforms.length || platforms.includes(gpu.platform);
    return [
      ...(all.precision.startsWith("bf16") && !gpu.bf16 ? ["needs-bf16"] : []),
      ...(data.methods[all.method].ladder.some(runs) ? [] : ["needs-platform"]),
    ];
  };

  // The estimate of a state and its verdict.
  const judgedOf = (all) => {
    const { goal } = data.methods[all.method], compromise = compromiseOf(all);
    const host_memory_gib = all.host_ram_gib === "" ? Infinity : Number(all.host_ram_gib);
    const [result, crowded] = E.loaded(catalog, planOf(all), host_memory_gib);
    const judged = E.judged(catalog, result, {
      goal, compromise: compromise !== null, lacks: missing(all, data.gpus[all.gpu]), host_memory_gib,
    });
    const reasons = crowded ? [...judged.reasons, crowded] : judged.reasons;
    return { ...judged, reasons, plan: result.plan, result, goal, compromise };
  };

  // Everything that the page says about a state.
  const SECONDS_PER_HOUR = 3600;
  const answer = (all) => {
    const shape = shapeOf(all);
    if (shape.unmodelled.length) return { verdict: "unknown", unmodelled: shape.unmodelled, shape };
    const judged = judgedOf(all), { plan, result, goal } = judged;
    const context = all.model ? TrainfitModels[all.model].context : null;
    const tokens = all.tokens_millions !== "" ? Number(all.tokens_millions) * MILLION
      : goal === "fine-tuning" ? data.policy.finetune_tokens : data.policy.pretrain_tokens_per_parameter * result.parameters_total;
    const seconds = result.seconds_for(tokens);
    const hours = seconds && Object.fromEntries(["low", "expected", "high"].map((name) => [name, seconds[name] / SECONDS_PER_HOUR]));
    return {
      ...judged, shape, gpu: data.gpus[all.gpu], context, tokens, hours,
      longest: E.max_seq_len(catalog, plan, context),
      changes: E.changes_that_fit(catalog, plan, context),
    };
  };

  // The command that writes a configuration, for what the site itself recommends: a catalogue model on a rig of the
  // catalogue under the reference workload, by the first recipe with the best verdict. Nothing for other states.
  const RECOMMENDABLE = new Set(["comfortable", "borderline"]);
  const configOf = (all, verdict) => {
    if (!all.model || all.rig === OWN || !RECOMMENDABLE.has(verdict)) return null;
    const named = Object.fromEntries(["model", "rig", "method"].map((name) => [name, all[name]]));
    const plain = (recipe) => complete({ ...named, recipe });
    if (queryOf(plain(all.recipe)) !== queryOf(all)) return null;
    const verdicts = data.methods[all.method].ladder.map(({ id }) => [id, E.VERDICTS.indexOf(judgedOf(plain(id)).verdict)]);
    const [best] = verdicts.toSorted((a, b) => a[1] - b[1])[0];
    if (best !== all.recipe) return null;
    const framework = all.cpu_offload === "none" ? "trl" : "deepspeed";
    return `trainfit config --model ${all.model} --rig ${all.rig} \\\n  --method ${all.method} --framework ${framework} --out run`;
  };

  // The same as options of `trainfit estimate`, all settings said that mean something here, in lines of a shell.
  const OPTIONS = { n_gpus: "--count" };
  const LINE = 56;
  const quoted = (text) => (/^[\w.+,/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const commandOf = (state) => {
    const modelled = !shapeOf(state).unmodelled.length;
    const all = modelled ? { ...state, load_on_card: judgedOf(state).plan.load_on_card ? "y" : "n" } : state;
    const left = new Set(["model", ...(data.methods[all.method].trains === "adapters" ? [] : data.texts.only.adapters), ...(all.method === "qlora" ? [] : data.texts.only.quantised)]);
    const parts = [["--model", all.config ? "" : all.model], ["--model-config", all.config ? "config.json" : ""], ["--params-b", all.params_b]];
    for (const name of data.texts.parameters) {
      if (E.Plan.$fields.includes(name) && !left.has(name)) parts.push([OPTIONS[name] ?? `--${name.replaceAll("_", "-")}`, all[name] ?? ""]);
    }
    const lines = ["trainfit estimate"];
    for (const [option, value] of parts.filter(([, text]) => text !== "")) {
      const words = `${option} ${quoted(value)}`;
      if (lines.at(-1).length + words.length < LINE) lines[lines.length - 1] += ` ${words}`;
      else lines.push(`  ${words}`);
    }
    return lines.join(" \\\n");
  };

  Object.assign(C, { catalog, OWN, textOf, findModel, recipeOf, complete, shortest, queryOf, ofQuery, changedFrom, changedBy, textsOf, judgedOf, shapeOf, planOf, answer, commandOf, configOf });
})();

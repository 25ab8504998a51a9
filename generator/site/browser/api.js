// What a page calls: the catalogue from its JSON, shapes from what the build packed, plans, estimates, verdicts.

// A dataclass or a member of an enumeration as the build packed it: {"$": class, field: value, …}.
const unpacked = (value) => {
  if (Array.isArray(value)) return value.map(unpacked);
  if (value === null || typeof value !== "object") return value;
  const type = scope[value.$];
  if (type.$members) return type.$members.find((member) => member.value === value.value);
  return new type(...type.$fields.map((name) => (name in value ? unpacked(value[name]) : undefined)));
};

// The parts of the catalogue that an estimate reads, from plain JSON.
const catalogOf = ({ gpus, constants, policy }) => {
  const pair = (values) => ({ of: (ecc) => ({ value: values[ecc] }) });
  const value = (number) => ({ value: number });
  return {
    gpus: new Dict(Object.entries(gpus).map(([id, gpu]) => [id, {
      ...gpu,
      bandwidth_gb_per_s: value(gpu.bandwidth_gb_per_s),
      framework_visible_gib: pair(gpu.framework_visible_gib),
      usable_mib: pair(gpu.usable_mib),
      sustained_tflops: Object.fromEntries(Object.entries(gpu.sustained_tflops).map(([name, number]) => [name, value(number)])),
    }])),
    resolve_gpu: (id) => id,
    constants: {
      constants: new Dict(Object.entries(constants).map(([id, number]) => [id, value(number)])),
      numbers: new Dict(Object.entries(constants).map(([id, number]) => [id.replaceAll("-", "_"), number])),
      formula_sources: new Dict(),
    },
    policy: Object.fromEntries(Object.entries(policy).map(([name, number]) => [name, value(number)])),
  };
};

// A plan from an object of settings by name; throws a refusal for one that contradicts itself.
const planOf = (settings) => new Plan(...Plan.$fields.map((name) => settings[name]));

// The verdict of one plan: what each line of the policy allows, the worst of them, and why.
const judged = (catalog, result, { goal, compromise, lacks, host_memory_gib }) => {
  const time = training_time(catalog.policy, result, goal);
  const findings = [
    _memory(catalog.policy, result, compromise),
    ..._machine({ compromise }, result, { host_memory_gib }, lacks),
    _link(catalog.policy, result),
    _time(catalog.policy, time, goal),
  ];
  return { verdict: worst(findings.map((finding) => finding.verdict)), reasons: findings.map((finding) => finding.reason).filter(Boolean), time };
};

const plain = (dict) => Object.fromEntries(dict.items().map(([key, value]) => [key, value instanceof Dict ? plain(value) : value]));

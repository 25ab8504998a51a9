// The engine of the calculator, made by the build from the Python that computes the site. It sets TrainfitEngine.
// What Python has and JavaScript lacks: mappings with keys that are compared by value, truth, equality, texts.

class Dict {
  #entries = new Map();
  constructor(pairs = []) { for (const [key, value] of pairs) this.set(key, value); }
  get size() { return this.#entries.size; }
  has(key) { return this.#entries.has($key(key)); }
  get(key, otherwise = null) { const found = this.#entries.get($key(key)); return found ? found[1] : otherwise; }
  set(key, value) {
    const found = this.#entries.get($key(key));
    if (found) found[1] = value;
    else this.#entries.set($key(key), [key, value]);
    return this;
  }
  setdefault(key, value) { if (!this.has(key)) this.set(key, value); return this.get(key); }
  keys() { return [...this.#entries.values()].map(([key]) => key); }
  values() { return [...this.#entries.values()].map(([, value]) => value); }
  items() { return [...this.#entries.values()].map(([key, value]) => [key, value]); }
}

// A number that was written with a point or an exponent in JSON: no whole number, whatever its value.
class Float { constructor(value) { this.value = value; } valueOf() { return this.value; } }
class $Member { constructor(value) { this.value = value; } toString() { return this.value; } }
class $Refusal extends Error {}
const $errors = Object.fromEntries(["UnsupportedArchitecture", "PlanError", "UnknownIdError", "ValueError", "KeyError"]
  .map((name) => [name, class extends $Refusal { get name() { return name; } }]));
const { ValueError, KeyError } = $errors;

// Two values with the same key are equal in Python.
const $key = (value) => {
  if (value === null || value === undefined) return "n";
  if (typeof value === "string") return `s${value.length}:${value}`;
  if (typeof value === "number" || typeof value === "boolean" || value instanceof Float) return `d${Number(value)}`;
  if (value instanceof $Member) return $key(value.value);
  if (Array.isArray(value)) return `a${value.length}(${value.map($key).join()})`;
  if (value instanceof Set) return `u(${[...value].map($key).sort().join()})`;
  if (value instanceof Dict) return `m(${value.items().map($key).sort().join()})`;
  return `o${value.constructor.name}(${value.constructor.$fields.map((name) => $key(value[name])).join()})`;
};
const $eq = (a, b) => a === b || $key(a) === $key(b);
const $truth = (value) => {
  if (value === null || value === undefined || value === false || value === 0 || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Set || value instanceof Dict) return value.size > 0;
  return value instanceof Float ? value.value !== 0 : true;
};
const $either = (value, other) => ($truth(value) ? value : other());
const $both = (value, other) => ($truth(value) ? other() : value);
const $list = (value) => {
  if (Array.isArray(value)) return [...value];
  if (value instanceof Dict) return value.keys();
  if (typeof value === "function" && value.$members) return value.$members;
  return [...value];
};
const $items = (value) => value.items();
const $in = (item, box) => {
  if (typeof box === "string") return box.includes(item);
  if (box instanceof Dict) return box.has(item);
  return $list(box).some((each) => $eq(each, item));
};
const $at = (box, key) => {
  if (box instanceof Dict) {
    if (!box.has(key)) throw new KeyError($repr(key));
    return box.get(key);
  }
  return box.at(key);
};
const $put = (box, key, value) => { if (box instanceof Dict) box.set(key, value); else box[key] = value; };

const $add = (a, b) => (Array.isArray(a) ? [...a, ...b] : a + b);
const $sub = (a, b) => (a instanceof Set ? new Set([...a].filter((item) => !b.has(item))) : a - b);
const $or = (a, b) => {
  if (a instanceof Dict) return new Dict([...a.items(), ...b.items()]);
  return a instanceof Set ? new Set([...a, ...b]) : a | b;
};
const $and = (a, b) => (a instanceof Set ? new Set([...a].filter((item) => b.has(item))) : a & b);
const $ior = (a, b) => {
  if (a instanceof Dict) for (const [key, value] of b.items()) a.set(key, value);
  else if (a instanceof Set) for (const item of b) a.add(item);
  else return a | b;
  return a;
};
const $floordiv = (a, b) => Math.floor(a / b);
const $mod = (a, b) => ((a % b) + b) % b;
const $repeat = (list, times) => Array.from({ length: times }, () => list).flat();

const $abs = (value) => Math.abs(value);
const $all = (list) => $list(list).every($truth);
const $any = (list) => $list(list).some($truth);
const $bool = $truth;
const $dict = (pairs = []) => new Dict(pairs instanceof Dict ? pairs.items() : pairs);
const $enumerate = (list) => $list(list).map((item, index) => [index, item]);
const $float = (value) => Number(value);
const $int = (value) => Math.trunc(Number(value));
const $frozenset = (list = []) => new Set($list(list));
const $set = $frozenset;
const $fromkeys = (list, value = null) => new Dict($list(list).map((item) => [item, value]));
const $getattr = (value, name, otherwise) => (name in value ? value[name] : otherwise);
const $index = (list) => (item) => list.findIndex((each) => $eq(each, item));
const $iter = $list;
const $len = (value) => value.length ?? value.size;
const $map = (call, list) => $list(list).map((item) => call(item));
const $next = (list, otherwise) => { const found = $list(list); return found.length ? found[0] : otherwise; };
const $range = (from, to) => (to === undefined ? $range(0, from) : Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i));
const $sorted = (list) => $list(list).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
const $sum = (list) => $list(list).reduce((sum, item) => sum + item, 0);
const $tuple = (list = []) => $list(list);
const $type = (value) => (Number.isInteger(value) ? $intType : value?.constructor);
const $zip = (...lists) => $list(lists[0]).map((_, index) => lists.map((list) => $list(list)[index]));
const $extreme = (better) => (options, ...given) => {
  const list = given.length === 1 ? $list(given[0]) : given;
  const key = "key" in options ? options.key : (item) => item;
  if (!list.length) return options.default_;
  return list.reduce((best, item) => (better(key(item), key(best)) ? item : best));
};
const $maxWith = $extreme((a, b) => a > b);
const $minWith = $extreme((a, b) => a < b);
const $max = (...given) => $maxWith({}, ...given);
const $min = (...given) => $minWith({}, ...given);
const $intType = Symbol("int");

const $TYPES = {
  str: (value) => typeof value === "string",
  int: (value) => Number.isInteger(value) || typeof value === "boolean",
  float: (value) => value instanceof Float || (typeof value === "number" && !Number.isInteger(value)),
  bool: (value) => typeof value === "boolean",
  list: (value) => Array.isArray(value),
  tuple: (value) => Array.isArray(value),
  Sequence: (value) => Array.isArray(value) || typeof value === "string",
  Mapping: (value) => value instanceof Dict,
  dict: (value) => value instanceof Dict,
};
const $isinstance = (value, types) => types.some((type) => (typeof type === "string" ? $TYPES[type](value) : value instanceof type));
const $named = (dict) => Object.fromEntries(dict.items());
const $replace = (value, changes) =>
  new value.constructor(...value.constructor.$fields.map((name) => (name in changes ? changes[name] : value[name])));

const $repr = (value) => {
  if (typeof value === "string") return value.includes("'") && !value.includes('"') ? `"${value}"` : `'${value.replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map($repr).join(", ")}]`;
  if (value instanceof Dict) return `{${value.items().map(([key, item]) => `${$repr(key)}: ${$repr(item)}`).join(", ")}}`;
  return $str(value);
};
const $str = (value) => {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value instanceof Float) return Number.isInteger(value.value) ? `${value.value}.0` : `${value.value}`;
  return Array.isArray(value) || value instanceof Dict ? $repr(value) : String(value);
};
const $join = (separator, list) => $list(list).map(String).join(separator);
const $split = (text, separator) => (separator === undefined ? text.split(/\s+/).filter(Boolean) : text.split(separator));
const $endswith = (text, ends) => [ends].flat().some((end) => text.endsWith(end));
const $startswith = (text, starts) => [starts].flat().some((start) => text.startsWith(start));
const $lower = (text) => text.toLowerCase();
const $strip = (text) => text.trim();
const $removeprefix = (text, start) => (text.startsWith(start) ? text.slice(start.length) : text);
const $removesuffix = (text, end) => (end && text.endsWith(end) ? text.slice(0, -end.length) : text);
const $union = (first, ...others) => new Set([first, ...others].flatMap($list));
const $append = (list, item) => { list.push(item); };

// Formulas: a missing input is an error, as in Python, unless nothing that is wanted rests on it.
const $group = (compute, steps) => ({
  steps: new Dict(steps.map(([name, unit, inputs]) => [name, { name, unit, inputs }])),
  evaluate: (inputs, wanted = []) => {
    const values = compute((name) => {
      if (!wanted.length && !inputs.has(name)) throw new KeyError(name);
      return Number(inputs.get(name, NaN));
    });
    for (const name of wanted) if (Number.isNaN(values[name])) throw new KeyError(name);
    return new Dict([...inputs.items(), ...Object.entries(values)]);
  },
  quantities: (values) => new Dict(steps.map(([name, unit]) => [name, { name, value: values.get(name), unit, kind: "step" }])),
});

// What Python puts off until somebody looks.
function $later(make) { return make(); }

// JSON as Python reads it: objects are mappings, and 1.0 is no whole number.
const $json = (text) => JSON.parse(text, (key, value, context) => {
  if (typeof value === "number" && /[.eE]/.test(context?.source ?? "")) return new Float(value);
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Float)
    ? new Dict(Object.entries(value)) : value;
});

// Words and numbers of the calculator as its page's language writes them, like generator/site/formats.py does.
globalThis.TrainfitCalculator = (() => {
  "use strict";
  const data = JSON.parse(document.getElementById("tf-calculator").textContent);
  const language = document.documentElement.lang;
  const MINUS = "−";
  const UNGROUPED_BELOW = { ru: 10000 };
  const MINUTES_PER_HOUR = 60, HOURS_PER_DAY = 24, DAYS_PER_YEAR = 365.25, DAYS_SHOWN_AS_YEARS = 730, MANY_YEARS = 100;
  const LINES = ["comfortable_ratio", "borderline_ratio", "compromise_ratio"], NEAR_A_LINE = 0.01, MOST_DECIMALS = 3;

  // A message with its placeholders filled; `count` chooses the plural form, `digits` are the decimals it is shown with.
  const say = (key, values = {}, count = undefined, digits = 0) => {
    let message = data.words[key];
    if (message === undefined) throw new Error(key);
    if (typeof message !== "string") {
      const rules = new Intl.PluralRules(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
      message = message[rules.select(count)] ?? message.other;
    }
    return message.replace(/\{([a-z0-9_]+)\}/g, (_, name) => {
      if (!(name in values)) throw new Error(`${key}: ${name}`);
      return values[name];
    });
  };
  const has = (key) => key in data.words;

  const number = (value, digits = 0, trim = false) => {
    const useGrouping = !(Math.abs(value) < (UNGROUPED_BELOW[language] ?? 0));
    const shown = new Intl.NumberFormat(language, {
      useGrouping, minimumFractionDigits: trim ? 0 : digits, maximumFractionDigits: digits,
    }).format(value);
    return (/[1-9]/.test(shown) ? shown : shown.replace("-", "")).replace("-", MINUS);
  };
  const shortest = (value, digits) => (Number.isInteger(Number(value.toFixed(digits))) ? 0 : digits);
  const unit = (value, name, digits = 0, trim = false) => {
    const exact = Number(value.toFixed(digits));
    return say(`shell.unit.${name}`, { value: number(value, digits, trim) }, exact, trim ? shortest(value, digits) : digits);
  };
  const gib = (value, digits = 1) => unit(value, "gib", digits);
  const billions = (value) => unit(value / 1e9, "billion", value < 1e10 ? 2 : 1, true);
  const percent = (ratio, digits = 0) => `${number(ratio * 100, digits)}${language === "ru" ? "\u00a0" : ""}%`;
  // A share of memory: near a line at which the verdict changes as many decimals as keep it apart.
  const share = (ratio) => {
    let digits = 0;
    for (const name of LINES) {
      const line = data.policy[name];
      if (Math.abs(ratio - line) >= NEAR_A_LINE || ratio === line) continue;
      digits = Math.max(digits, 1);
      while (digits < MOST_DECIMALS && (ratio * 100).toFixed(digits) === (line * 100).toFixed(digits)) digits += 1;
    }
    return percent(ratio, digits);
  };
  const tokens = (value) => {
    for (const [name, size] of [["token_billion", 1e9], ["token_million", 1e6]]) {
      if (value >= size) return unit(value / size, name, 1, true);
    }
    return unit(value, "token");
  };

  // A number of tokens as the language writes it after «from» and «below».
  const tokensLimit = (value) => say("common.limit.token", { value: number(value) }, value);

  // A duration in hours: minutes below an hour, hours below a day or for fine-tuning, then days and years.
  const durationUnit = (hours, goal) => {
    const minutes = Math.round(hours * MINUTES_PER_HOUR), days = hours / HOURS_PER_DAY;
    if (minutes < MINUTES_PER_HOUR) return ["minute", Math.max(minutes, 1)];
    if (goal === "fine-tuning" || days < 1) return ["hour", hours];
    if (days < DAYS_SHOWN_AS_YEARS) return ["day", days];
    return [days < MANY_YEARS * DAYS_PER_YEAR ? "year" : "many_years", days / DAYS_PER_YEAR];
  };
  const digitsOf = (value) => (value < 10 ? 1 : 0);
  const duration = (hours, goal) => {
    const [name, value] = durationUnit(hours, goal);
    if (name === "many_years") return say("common.plain.many_years", { n: number(MANY_YEARS) });
    const digits = digitsOf(value);
    return say(`common.plain.${name}`, { value: number(value, digits, true) }, Number(value.toFixed(digits)), shortest(value, digits));
  };
  const durationRange = (low, high, goal) => {
    const [first, last] = [duration(low, goal), duration(high, goal)];
    if (first === last) return first;
    const [[one, value], [other]] = [durationUnit(low, goal), durationUnit(high, goal)];
    return one === other ? `${number(value, digitsOf(value), true)}–${last}` : `${first} – ${last}`;
  };

  // The reason of a verdict as a sentence; the end of a number's name says what it is.
  const reasonValue = (name, value, goal) => {
    const end = name.slice(name.lastIndexOf("_") + 1);
    if (end === "gib") return gib(value);
    if (end === "ratio") return share(value);
    if (end === "limit") return percent(value);
    if (end === "bandwidth") return number(value, 1);
    if (["expected", "comfortable", "borderline"].includes(end)) {
      return duration(goal === "fine-tuning" ? value : value * HOURS_PER_DAY, goal);
    }
    return end === "tokens" ? tokens(value) : number(value, 2, true);
  };
  const reason = (id, values, goal) => {
    const key = has(`reasons.${id}`) ? `reasons.${id}` : `reasons.${id}.${goal}`;
    return say(key, Object.fromEntries(values.map(([name, value]) => [name, reasonValue(name, value, goal)])));
  };

  const choice = (name, value) => {
    const keys = [`calculator.choice.${name}.${String(value).replace("+", "-")}`, `calculator.choice.${value}`];
    return data.words[keys[0]] ?? data.words[keys[1]] ?? String(value);
  };
  const settingName = (name) => data.words[`calculator.settings.${name}`] ?? data.words[`calculator.work.${name}`]
    ?? data.words[`calculator.setting.${name}`] ?? name;

  return { data, language, say, has, number, unit, gib, billions, percent, share, tokens, tokensLimit, duration, durationRange, reason, choice, settingName };
})();

// Serves the built site with gzip and runs Lighthouse (mobile) on four kinds of page, five times each; the median counts.
// usage: node audit/lighthouse.mjs SITE_DIR [CHROME]
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { createGzip } from "node:zlib";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";

const [site, chromePath] = process.argv.slice(2);
const PAGES = ["", "rigs/4x-rtx-6000-ada/", "models/qwen3-14b/", "calculator/"];
const FLOORS = { performance: 0.95, accessibility: 1, "best-practices": 1, seo: 1 };
const BYTES = { "calculator/": 450_000 };
const FIRST_VIEW_BYTES = 300_000;
const SHIFT = 0.02;
const RUNS = Number(process.env.AUDIT_RUNS || 5);
const TYPES = { ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".json": "application/json",
  ".svg": "image/svg+xml", ".txt": "text/plain", ".xml": "application/xml", ".csv": "text/csv", ".woff2": "font/woff2",
  ".png": "image/png", ".wasm": "application/wasm" };
const PACKED = new Set([".woff2", ".png"]);

const server = createServer((request, answer) => {
  let file = normalize(join(site, decodeURIComponent(new URL(request.url, "http://x").pathname)));
  if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
  if (!file.startsWith(normalize(site)) || !existsSync(file)) {
    answer.writeHead(404).end();
    return;
  }
  const kind = extname(file);
  const head = { "content-type": TYPES[kind] || "application/octet-stream", "cache-control": "max-age=31536000" };
  if (PACKED.has(kind)) {
    answer.writeHead(200, head);
    createReadStream(file).pipe(answer);
  } else {
    answer.writeHead(200, { ...head, "content-encoding": "gzip", vary: "accept-encoding" });
    createReadStream(file).pipe(createGzip({ level: 9 })).pipe(answer);
  }
});
await new Promise((ready) => { server.listen(0, "127.0.0.1", ready); });
const chrome = await launch({ chromePath, chromeFlags: ["--headless=new", "--no-sandbox"] });
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
let failed = false;
for (const page of PAGES) {
  const scores = {};
  let bytes = 0;
  let shift = 0;
  const lost = new Set();
  for (let run = 0; run < RUNS; run += 1) {
    const { lhr } = await lighthouse(`http://127.0.0.1:${server.address().port}/${page}`, {
      port: chrome.port, onlyCategories: Object.keys(FLOORS), logLevel: "error",
    });
    for (const [name, category] of Object.entries(lhr.categories)) {
      (scores[name] ||= []).push(category.score);
      if (name === "performance") continue;
      for (const { id, weight } of category.auditRefs) {
        const score = lhr.audits[id].score;
        if (weight && score !== null && score < 1) lost.add(id);
      }
    }
    bytes = Math.max(bytes, lhr.audits["total-byte-weight"].numericValue);
    shift = Math.max(shift, lhr.audits["cumulative-layout-shift"].numericValue);
  }
  const found = Object.fromEntries(Object.entries(scores).map(([name, values]) => [name, median(values)]));
  const low = Object.entries(FLOORS).filter(([name, floor]) => found[name] < floor).map(([name]) => name);
  if (bytes > (BYTES[page] || FIRST_VIEW_BYTES)) low.push("bytes");
  if (shift > SHIFT) low.push("layout shift");
  failed ||= low.length > 0;
  const numbers = Object.entries(found).map(([name, score]) => `${name} ${Math.round(score * 100)}`).join(", ");
  console.log(`${low.length ? "FAILED" : "ok"} /${page}: ${numbers}, ${Math.round(bytes / 1000)} kB, shift ${shift.toFixed(3)}${low.length ? ` (${[...low, ...lost].join(", ")})` : ""}`);
}
chrome.kill();
server.close();
process.exit(failed ? 1 : 0);

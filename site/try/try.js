// The page: selects and texts. Python runs in a worker, so that typing stays smooth; the first example is there before it.
const at = (id) => document.getElementById(id);
const began = performance.now();
const typed = ["try-body", "try-model", "try-answer", "try-policies"];
const asked = shared() || Object.fromEntries(new URLSearchParams(location.search));
let examples = {};
let number = 0;
let worker;

const first = fetch(new URL("first.json", import.meta.url)).then((answer) => answer.json());
first.then((data) => { open(data); start(); }).catch(failed);

// Python is loaded behind the first example, step by step
function start() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onerror = (event) => failed(event.message || "see the console of the browser");
  worker.onmessage = ({ data }) => {
    if (data.kind === "step") at("try-progress").value = data.step;
    else if (data.kind === "failed") failed(data.error);
    else if (data.kind === "ready") ready();
    // an answer to an older question is out of date
    else if (data.number === number) show(data.result);
  };
}

function failed(error) {
  at("try-status").textContent = `Python could not be loaded: ${error}`;
}

function open({ wires, presets, examples: offered, question, result }) {
  examples = offered;
  for (const id of ["try-from", "try-to"]) at(id).replaceChildren(...wires.map(([name, title]) => new Option(title, name)));
  at("try-policies").replaceChildren(...presets.map((name) => new Option(name, name)));
  at("try-from").value = asked.from || question.source;
  at("try-to").value = asked.to || question.target;
  at("try-model").value = asked.model ?? question.model;
  at("try-policies").value = asked.policies || question.policies;
  offer();
  answerOf();
  if (asked.body) at("try-body").value = asked.body;
  if (asked.answer) at("try-answer").value = asked.answer;
  show(Object.keys(asked).length ? { notes: [], refusals: [], findings: [], ways: [] } : result);
  at("try-form").hidden = false;
  document.body.dataset.tryShown = Math.round(performance.now() - began);
}

function ready() {
  at("try-loading").hidden = true;
  document.body.dataset.tryReady = Math.round(performance.now() - began);
  at("try-from").onchange = () => { offer(); convert(); };
  at("try-to").onchange = () => { answerOf(); convert(); };
  at("try-example").onchange = () => { choose(); convert(); };
  for (const id of typed) at(id).oninput = later;
  at("try-link").onclick = copyLink;
  convert();
}

at("try-form").onsubmit = (event) => event.preventDefault();

const rows = (wire, kind) => (examples[wire] || { bodies: [], answers: [] })[kind];
const pretty = (row) => (row ? JSON.stringify(row[1], null, 2) : "");

// the examples of the API that was chosen, the first one shown
function offer() {
  at("try-example").replaceChildren(...rows(at("try-from").value, "bodies").map(([name], index) => new Option(name, index)));
  choose();
}

function choose() {
  at("try-body").value = pretty(rows(at("try-from").value, "bodies")[at("try-example").value || 0]);
}

function answerOf() {
  at("try-answer").value = pretty(rows(at("try-to").value, "answers")[0]);
}

let timer;
function later() {
  clearTimeout(timer);
  timer = setTimeout(convert, 250);
}

function question() {
  return {
    body: at("try-body").value, answer: at("try-answer").value, source: at("try-from").value,
    target: at("try-to").value, model: at("try-model").value, policies: at("try-policies").value,
  };
}

function convert() {
  number += 1;
  worker.postMessage({ number, question: question() });
}

// the fragment of an address is not sent to a server
async function copyLink() {
  const { source, target, ...texts } = question();
  const bytes = new TextEncoder().encode(JSON.stringify({ from: source, to: target, ...texts }));
  const word = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  history.replaceState(null, "", `${location.pathname}#${word.replaceAll("+", "-").replaceAll("/", "_")}`);
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  at("try-link").textContent = "The link is in the address bar";
}

function shared() {
  try {
    const word = location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(word), (letter) => letter.charCodeAt(0));
    return word ? JSON.parse(new TextDecoder().decode(bytes)) : null;
  } catch {
    return null;
  }
}

function listed(id, texts, none) {
  const items = (texts.length ? texts : [none]).map((text) => Object.assign(document.createElement("li"), { textContent: text }));
  at(id).replaceChildren(...items);
}

function show(result) {
  at("try-result").value = result.built || "";
  at("try-url").textContent = result.url || "";
  at("try-problem").textContent = result.problem || "";
  if (result.offset != null && document.activeElement !== at("try-body")) at("try-body").setSelectionRange(result.offset, result.offset + 1);
  listed("try-notes", result.notes, "nothing");
  listed("try-refusals", result.refusals, "nothing");
  listed("try-findings", result.findings, "nothing that is known here");
  at("try-back").value = result.back || "";
  listed("try-ways", result.ways, "nothing");
  at("try-answer-problem").textContent = result.answerProblem || "";
}

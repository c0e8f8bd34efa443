// The page: selects and texts. Python runs in a worker, so that typing stays smooth.
const at = (id) => document.getElementById(id);
const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const began = performance.now();
let examples = {};
let asked = 0;

worker.onerror = (event) => {
  at("try-status").textContent = `Python could not be loaded: ${event.message || "see the console of the browser"}`;
};

worker.onmessage = ({ data }) => {
  if (data.kind === "ready") ready(data);
  else if (data.kind === "failed") at("try-status").textContent = `Python could not be loaded: ${data.error}`;
  // an answer to an older question is out of date
  else if (data.number === asked) show(data.result);
};

function ready({ wires, presets, ...rest }) {
  examples = rest.examples;
  for (const id of ["try-from", "try-to"]) at(id).replaceChildren(...wires.map(([name, title]) => new Option(title, name)));
  at("try-policies").replaceChildren(...presets.map((name) => new Option(name, name)));
  const asked = new URLSearchParams(location.search);
  at("try-from").value = asked.get("from") || "openai_chat";
  at("try-to").value = asked.get("to") || "anthropic_messages";
  at("try-model").value = asked.get("model") || "";
  at("try-policies").value = presets.includes("portable") ? "portable" : "lenient";
  offer();
  at("try-status").hidden = true;
  at("try-form").hidden = false;
  document.body.dataset.tryReady = Math.round(performance.now() - began);
  at("try-from").onchange = offer;
  at("try-to").onchange = () => { answerOf(); convert(); };
  at("try-example").onchange = choose;
  for (const id of ["try-body", "try-model", "try-answer", "try-policies"]) at(id).oninput = later;
  at("try-form").onsubmit = (event) => event.preventDefault();
}

const rows = (wire, kind) => (examples[wire] || { bodies: [], answers: [] })[kind];

// the examples of the API that was chosen, the first one shown
function offer() {
  at("try-example").replaceChildren(...rows(at("try-from").value, "bodies").map(([name], index) => new Option(name, index)));
  answerOf();
  choose();
}

function choose() {
  const row = rows(at("try-from").value, "bodies")[at("try-example").value || 0];
  at("try-body").value = row ? JSON.stringify(row[1], null, 2) : "";
  convert();
}

function answerOf() {
  const row = rows(at("try-to").value, "answers")[0];
  at("try-answer").value = row ? JSON.stringify(row[1], null, 2) : "";
}

let timer;
function later() {
  clearTimeout(timer);
  timer = setTimeout(convert, 250);
}

function convert() {
  asked += 1;
  worker.postMessage({
    number: asked,
    question: {
      body: at("try-body").value, answer: at("try-answer").value, source: at("try-from").value,
      target: at("try-to").value, model: at("try-model").value, policies: at("try-policies").value,
    },
  });
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
  listed("try-findings", result.findings, "nothing that is known here");
  at("try-back").value = result.back || "";
  at("try-answer-problem").textContent = result.answerProblem || "";
}

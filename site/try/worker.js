// Python with the package in it; answers one question at a time.
import { loadPyodide } from "./pyodide/pyodide.mjs";

let convert;
let steps = 0;
const step = (value) => {
  steps += 1;
  postMessage({ kind: "step", step: steps });
  return value;
};

const loaded = (async () => {
  const here = new URL(".", import.meta.url).href;
  const [python, archive] = await Promise.all([
    loadPyodide({ indexURL: `${here}pyodide/` }).then(step),
    fetch(`${here}promptwire.zip`).then((answer) => {
      if (!answer.ok) throw new Error(`promptwire.zip: ${answer.status}`);
      return answer.arrayBuffer().then(step);
    }),
  ]);
  python.unpackArchive(archive, "zip", { extractDir: "/package" });
  step();
  python.runPython("import sys; sys.path.insert(0, '/package')");
  const page = python.pyimport("try_page");
  convert = (question) => JSON.parse(page.convert(JSON.stringify(question)));
  step();
  postMessage({ kind: "ready" });
})();
loaded.catch((error) => postMessage({ kind: "failed", error: String(error) }));

onmessage = async ({ data }) => {
  await loaded;
  postMessage({ kind: "result", number: data.number, result: convert(data.question) });
};

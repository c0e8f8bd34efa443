// The words that a reader types choose rows by the title of the API, or the rows that have a feature of this name.
document.getElementById("coverage-filter").oninput = (event) => {
  const words = event.target.value.trim().toLowerCase();
  const features = [...document.querySelectorAll(".coverage thead th")].map((head) => head.textContent.toLowerCase());
  const column = words ? features.findIndex((feature) => feature.startsWith(words)) : 0;
  for (const row of document.querySelectorAll(".coverage tbody tr")) {
    const [title, value] = [row.cells[0].textContent.toLowerCase(), row.cells[Math.max(column, 0)].textContent];
    row.hidden = column > 0 ? value !== "yes" : !title.includes(words);
  }
};

"use strict";
(() => {
  const announcement = document.getElementById("announcement");
  const say = (text) => { announcement.textContent = text; };
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const key = cell.dataset.key ?? cell.textContent.trim();
    return key !== "" && cell.dataset.key !== undefined && isFinite(key) ? Number(key) : key;
  };
  const isText = (key) => typeof key === "string";
  // Numbers first, then texts; a cell without content is last whichever way is sorted.
  const compare = (a, b, direction) => {
    if ((a === "") !== (b === "")) return a === "" ? 1 : -1;
    if (isText(a) !== isText(b)) return isText(a) ? 1 : -1;
    const order = isText(a) ? a.localeCompare(b, "en", { numeric: true }) : a - b;
    return direction * order;
  };
  const sort = (table, head) => {
    const ascending = head.getAttribute("aria-sort") !== "ascending";
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const body = table.tBodies[0];
    const keyed = Array.from(body.rows, (row) => [keyOf(row, head.cellIndex), row]);
    keyed.sort((a, b) => compare(a[0], b[0], ascending ? 1 : -1));
    body.append(...keyed.map((pair) => pair[1]));
    say(`${table.caption.textContent}: sorted by ${head.textContent}, ${ascending ? "ascending" : "descending"}`);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, head));
    }
  }

  const tools = document.querySelector(".tools");
  if (!tools) return;
  tools.hidden = false;
  const queries = Array.from(document.querySelectorAll("details.query"));
  const filter = document.getElementById("filter");
  const find = () => {
    const wanted = filter.value.trim().toLowerCase();
    let shown = 0;
    for (const query of queries) {
      query.hidden = !query.querySelector(".question").textContent.toLowerCase().includes(wanted);
      shown += !query.hidden;
    }
    const said = `${shown} of ${queries.length} queries shown`;
    document.getElementById("filtered").textContent = wanted && said;
    say(said);
  };
  filter.addEventListener("input", find);
  // Not every browser opens what a link leads into, and none what the filter hides.
  const reveal = (hash) => {
    const query = document.getElementById(hash.slice(1))?.closest("details.query");
    if (!query) return;
    if (query.hidden) { filter.value = ""; find(); }
    query.open = true;
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (link) reveal(link.hash);
  });
  reveal(location.hash);
  const parts = document.getElementById("parts");
  if (parts) parts.addEventListener("click", () => {
    const shown = parts.getAttribute("aria-pressed") !== "true";
    parts.setAttribute("aria-pressed", String(shown));
    document.body.classList.toggle("hide-parts", !shown);
    say(shown ? "Parts of scores shown" : "Parts of scores hidden");
  });
})();

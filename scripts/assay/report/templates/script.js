"use strict";
// Texts are only ever moved as nodes that the browser has parsed already: nothing here builds HTML from a string.

const report = document.getElementById("report");
const view = document.getElementById("capture");
let left = 0;

function sortable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  table.querySelectorAll("thead th button").forEach((button) => {
    const head = button.closest("th");
    button.addEventListener("click", () => {
      const next = { none: head.dataset.first, [head.dataset.first]: head.dataset.first === "descending" ? "ascending" : "descending" };
      const order = next[head.getAttribute("aria-sort")] || "none";
      table.querySelectorAll("thead th[aria-sort]").forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", order);
      body.append(...(order === "none" ? original : sorted(original, head.cellIndex, order === "ascending" ? 1 : -1)));
    });
  });
}

function key(row, column) {
  const cell = row.cells[column];
  const text = (cell.dataset.sort ?? cell.textContent).trim();
  const number = Number(text.replace("\u2212", "-"));
  return text === "" || text === "\u2013" ? null : Number.isNaN(number) ? text : number;
}

function sorted(rows, column, sign) {
  const collator = new Intl.Collator("en", { numeric: true });
  const keyed = rows.map((row) => [key(row, column), row]);
  keyed.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b));
  });
  return keyed.map(([, row]) => row);
}

function filtered(form) {
  const rows = [...document.getElementById("ledger-table").tBodies[0].rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const count = document.getElementById("ledger-count");
  const show = () => {
    const words = form.querySelector("input").value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = [...form.querySelectorAll("select")].map((select) => select.value).filter(Boolean);
    let shown = 0;
    rows.forEach((row, at) => {
      const kinds = row.dataset.kinds.split(" ");
      const fits = words.every((word) => texts[at].includes(word)) && chosen.every((kind) => kinds.includes(kind));
      row.hidden = !fits;
      shown += fits;
    });
    count.textContent = `${shown} of ${rows.length} captures`;
  };
  form.addEventListener("input", show);
  form.querySelector("button").addEventListener("click", () => {
    form.querySelector("input").value = "";
    form.querySelectorAll("select").forEach((select) => { select.value = ""; });
    show();
  });
}

function route() {
  let place = "";
  try {
    place = decodeURIComponent(location.hash.slice(1));
  } catch { /* a broken address shows the report */ }
  const page = document.getElementById(`capture:${place}`);
  if (!page) {
    if (document.body.dataset.captures && /^[a-z0-9-]+\/[a-z0-9-]+\/[a-z0-9-]+$/.test(place)) {
      location.replace(`captures/${place}.html`);
      return;
    }
    if (!view.hidden) {
      view.hidden = true;
      view.replaceChildren();
      report.hidden = false;
      document.title = document.body.dataset.title;
      const anchor = place && document.getElementById(place);
      if (anchor) anchor.scrollIntoView();
      else scrollTo(0, left);
    }
    return;
  }
  if (view.hidden) left = scrollY;
  view.replaceChildren(page.content.cloneNode(true));
  view.querySelectorAll("[data-shared]").forEach((slot) => {
    slot.replaceChildren(document.getElementById(slot.dataset.shared).content.cloneNode(true));
  });
  report.hidden = true;
  view.hidden = false;
  scrollTo(0, 0);
  const heading = view.querySelector("h1");
  document.title = heading.textContent;
  heading.focus();
}

document.querySelectorAll("table.sortable").forEach(sortable);
document.querySelectorAll(".controls").forEach(filtered);
addEventListener("hashchange", route);
route();
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((part) => { part.open = true; }));

// What the pages without a drawing share: header, keys, sections and tables. Names are always text, never HTML.
const page = document.getElementById("page");
const hooks = {
  search: searchNames,
  actions: location.protocol === "file:" ? () => [] : searchActions,
  searching: () => typing.answered !== search.value,
  take: (hit) => location.assign(hitPage(hit)),
};
const KEYS_OF_LISTS = [
  ["/ or Ctrl-K", "search"],
  ["↑ ↓ Enter", "choose a hit"],
  ["f", "filter the list"],
  ["d", "light or dark"],
  ["?", "these keys"],
];

// *again* repeats what failed: useful if the server did not answer, or could not.
function showError(error, again = null) {
  const href = location.pathname === "/change" ? (node) => `/change?${query({node})}` : undefined;
  const alert = make("p", {class: "warn", role: "alert"}, messageOf(error, href));
  if (again && (!error.status || error.status >= 500)) {
    const button = make("button", {type: "button"}, "Try again");
    button.onclick = () => {
      alert.remove();
      again();
    };
    alert.append(" ", button);
  }
  page.prepend(alert);
}

function unknownPage(path) {
  showPage("No such page", [
    make("p", {}, [`There is no page at ${path}. `, link("/", "Overview"), ", ", link("/topics", "topics"), ", ", link("/flow", "lineage")]),
  ]);
}

function swapTheme() {
  const now = document.documentElement.dataset.theme;
  const dark = now === "dark" || (!now && matchMedia("(prefers-color-scheme: dark)").matches);
  saveTheme(dark ? "light" : "dark");
}

function showKeys() {
  const close = make("button", {type: "button"}, "Close");
  const keys = KEYS_OF_LISTS.flatMap(([key, does]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, does)]);
  const dialog = make("dialog", {"aria-label": "Keys"}, [make("h2", {}, "Keys"), make("dl", {class: "keys"}, keys), close]);
  close.onclick = () => dialog.close();
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog")) return;
  const acts = {
    d: swapTheme,
    "?": showKeys,
    f: () => page.querySelector("input[type=search]") && page.querySelector("input[type=search]").focus(),
  };
  if (!acts[event.key]) return;
  event.preventDefault();
  acts[event.key]();
});
document.getElementById("theme").onclick = swapTheme;

// Shows a page under its title, with what leads elsewhere below the title.
function showPage(title, parts, acts = []) {
  document.title = `${title} · scanner`;
  page.replaceChildren(
    make("h2", {class: "subject"}, text(title)),
    acts.length ? make("p", {class: "acts"}, acts) : "",
    ...parts.filter(Boolean),
  );
}

// A sentence in which commands and names of settings are between backticks.
function prose(words) {
  const parts = (words || "").split("`");
  return make("span", {}, parts.map((part, at) => (at % 2 ? make("code", {}, text(part)) : text(part))));
}

function section(title, parts, attributes = {}) {
  return make("section", attributes, [make("h3", {}, title), ...parts]);
}

// A table of rows, each a list of cells; columns without any content are left out. *label* names one without a caption.
function tableOf(caption, names, rows, none = "none known", label = caption) {
  if (!rows.length) return make("p", {class: "none"}, `${label}: ${none}.`);
  const shown = names.map((_, at) => rows.some((row) => hasContent(row[at])));
  const kept = (cells) => cells.filter((_, at) => shown[at]);
  return make("div", {class: "wide", tabindex: "0", role: "region", "aria-label": label}, [
    make("table", {}, [
      caption ? make("caption", {}, caption) : "",
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          kept(names).map((name) => make("th", {scope: "col"}, name)),
        ),
      ),
      make(
        "tbody",
        {},
        rows.map((cells) => tableRow(kept(cells), {}, kept(names))),
      ),
    ]),
  ]);
}

function hasContent(cell) {
  return Array.isArray(cell) ? cell.some(hasContent) : ![null, undefined, "", false].includes(cell);
}

// On a phone a row is a card, where the name of a column is in front of its value; an empty cell takes no room.
function tableRow(cells, attributes = {}, names = []) {
  return make(
    "tr",
    attributes,
    cells.map((cell, at) => make("td", {"data-name": names[at] || null, class: isEmpty(cell) ? "empty" : null}, cellOf(cell))),
  );
}

// Zero is said where there is room for it: on a phone it takes none.
function isEmpty(cell) {
  return !hasContent(cell) || (cell instanceof Element && cell.title === "none");
}

function cellOf(cell) {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "string" ? text(cell) : typeof cell === "number" ? String(cell) : cell;
}

function tagParts(tags) {
  return (tags || []).flatMap((tag) => [link(`/columns?${query({tag})}`, tag, {class: "tag"}), " "]);
}

// Undeclared tags: from where, how, and in how many steps; each step with its evidence in the title.
function foundTagParts(found) {
  return (found || []).flatMap(({tag, certainty, flow, origin, steps, path}) => {
    const because = origin ? `from ${origin}, ${flow}, ${steps} step${steps === 1 ? "" : "s"}` : certainty;
    return [mark(`${tag}, ${because}`, "stale", path.join("\n")), " "];
  });
}

// A part of a page that takes the server its time; the rest of the page does not wait for it.
function later(makeParts) {
  const place = make("div", {}, make("p", {class: "none"}, "reading …"));
  makeParts().then(
    (parts) => place.replaceChildren(...parts.filter(Boolean)),
    (error) => place.replaceChildren(make("p", {class: "warn", role: "alert"}, text(error.message))),
  );
  return place;
}

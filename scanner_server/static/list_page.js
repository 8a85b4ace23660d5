// One list: its filters, its rows in parts that are read while the page is scrolled, sorting, and its rows as CSV.
const FIRST_ROWS = 200,
  MORE_ROWS = 1000,
  MOST_SORTED = 10_000;
const MAY_MISS = "Some rows may be missing: the lineage is older than the newest scan.";

async function listPage(path) {
  const list = LISTS[path];
  const params = Object.fromEntries(new URLSearchParams(location.search));
  if (path === "/sources") for (const scan of (await ask("/scans", {limit: 1000})).items) times.set(scan.id, scan.finished);
  const shown = {list, params, rows: [], next: null, sorted: null, nearest: [], complete: true, total: null};
  shown.place = make("div", {});
  shown.facets = make("p", {class: "acts"});
  shown.chips = make("p", {class: "acts chips"});
  const changed = () => during(() => readFirst(shown), shown.place);
  showPage(list.title, [tabsOf(path), await filterForm(list, params, changed), shown.chips, shown.facets, shown.place]);
  await changed();
}

async function readFirst(shown) {
  const {list, params, place} = shown;
  drawChips(shown);
  if (list.needs && !list.needs.some((name) => params[name])) {
    place.replaceChildren(make("p", {class: "none"}, list.hint), ...(list.start ? await list.start() : []));
    return;
  }
  if (list.facets) drawFacets(shown.facets, await ask("/search/counts", {q: params.q}), params);
  const turn = (shown.turn || 0) + 1;
  Object.assign(shown, {turn, rows: [], next: null, sorted: null, hint: "", total: null, least: ""});
  await readPage(shown, FIRST_ROWS);
  if (turn !== shown.turn) return;
  const summary = list.total && shown.rows.length ? await ask("/summary") : null;
  shown.total = summary && list.total(summary, params);
  // Of a place not all findings of a rule are listed.
  shown.byRule = new Map(summary && !params.cluster && !params.where ? summary.findings.map(({rule, count}) => [rule, count]) : []);
  if (list.first && !shown.rows.length) shown.hint = await list.first(params);
  drawList(shown);
  if (!list.total && shown.next) await countOn(shown);
}

// Says how many rows a list has that no summary counts: one more page is counted, and "at least" if others follow.
async function countOn(shown) {
  const {turn, rows, next} = shown;
  const {items, next_cursor, complete} = await ask(shown.list.path, requestOf(shown, MORE_ROWS));
  if (turn !== shown.turn || next !== shown.next) return; // a filter was changed, or more rows are shown meanwhile
  shown.total = rows.length + items.length;
  shown.least = next_cursor || (shown.list.incomplete && !complete) ? "at least " : "";
  drawEnd(shown);
}

// Reads the next page behind the rows that are there, and returns its rows; one request after the other.
function readPage(shown, limit) {
  const turn = shown.turn;
  const read = () => (turn === shown.turn && (shown.next || !shown.rows.length) ? requestPage(shown, limit, turn) : []);
  shown.last = (shown.last || Promise.resolve()).then(read, read);
  return shown.last;
}

// The parameters of the request for the next page of at most so many rows.
function requestOf({list, params, next}, limit) {
  const names = [...list.filters.map(({name}) => name), ...(list.needs || [])];
  const wanted = Object.fromEntries(names.filter((name) => params[name]).map((name) => [name, params[name]]));
  const {internal, ...asked} = {...list.fixed, ...wanted, ...(list.unpaged ? {} : {limit: Math.min(limit, list.most || limit), cursor: next || ""})};
  if (internal) delete asked.without_internal;
  return asked;
}

async function requestPage(shown, limit, turn) {
  const answer = await ask(shown.list.path, requestOf(shown, limit));
  if (turn !== shown.turn) return []; // a filter was changed meanwhile
  shown.rows.push(...answer.items);
  Object.assign(shown, {next: answer.next_cursor, complete: answer.complete, nearest: answer.did_you_mean || []});
  return answer.items;
}

async function readRest(shown, most = Infinity) {
  while (shown.next && shown.rows.length < most) await readPage(shown, MORE_ROWS);
}

function readMore(shown) {
  if (shown.reading || !shown.next) return;
  shown.reading = true;
  during(async () => {
    const rows = await readPage(shown, MORE_ROWS);
    shown.reading = false;
    if (!appendRows(shown, rows)) drawList(shown);
    else drawEnd(shown);
  }).finally(() => (shown.reading = false));
}

// The filters that are set; each is a link to the list without it.
function drawChips({list, params, chips}) {
  const active = list.filters.filter(({name}) => params[name] && !["q", "sort"].includes(name));
  const without = (names) => `?${query({...params, ...Object.fromEntries(names.map((name) => [name, ""]))})}`;
  const links = active.map(({name, words, kind}) => {
    const filter = ["check", "internal"].includes(kind) ? words : `${words.replace(/ \(.*\)$/, "")}: ${params[name]}`;
    return link(without([name]), make("span", {}, [text(filter), " ×"]), {class: "chip", "aria-label": `Remove the filter ${filter}`});
  });
  if (active.length > 1) links.push(link(without(active.map(({name}) => name)), "Clear all"));
  chips.replaceChildren(...links);
}

// How many hits there are of each kind, and where; each is a link to these.
function drawFacets(place, {kinds, clusters, complete}, params) {
  const nodes = new Set(["job", "dataset", "consumer-group", "catalog-table"]);
  const more = complete ? "" : "at least ";
  const groups = new Map();
  for (const [kind, count] of Object.entries(kinds)) {
    const asked = nodes.has(kind) ? "node" : kind;
    const [words, sum] = groups.get(asked) || [[], 0];
    groups.set(asked, [[...words, kind.replace(/-/g, " ")], sum + count]);
  }
  const ofKind = [...groups].map(([kind, [words, count]]) =>
    link(`/search?${query({...params, kind})}`, `${words.join(", ")}: ${more}${count}`),
  );
  const where = Object.entries(clusters).map(([name, count]) =>
    link(`/search?${query({...params, cluster: name})}`, `${name}: ${more}${count}`),
  );
  place.replaceChildren(...ofKind, ofKind.length && where.length ? make("span", {class: "note"}, "in") : "", ...where);
}

function keysOf(list) {
  return list.columns.map(([, cell, key]) => key || ((row) => plainText(cell(row, 0, [row]))));
}

function drawList(shown) {
  const {list, rows, place} = shown;
  shown.same = sameColumns(list, rows);
  const names = list.columns.map(([name]) => name);
  const grouped = (!shown.sorted && list.group && list.group(shown.params, shown)) || [];
  if (grouped.length && list.gathers) gather(rows, list.groupKey);
  shown.isGrouped = grouped.length > 0;
  const cells = rows.slice(0, MORE_ROWS).map((row, at) => cellsOf(shown, row, at));
  shown.filled = names.map((name, at) => !grouped.includes(name) && !shown.same.has(at) && cells.some((line) => hasContent(line[at])));
  const kept = (line) => line.filter((_, at) => shown.filled[at]);
  shown.caption = make("span", {});
  const table = list.grouped ? findingGroups(rows, shown.byRule) : tableOf(shown.caption, kept(names), cells.map(kept), list.none || "no match", list.title);
  shown.table = list.grouped ? null : table.querySelector("table");
  for (const head of table.querySelectorAll("th")) {
    const at = names.indexOf(head.textContent);
    if (at >= 0) head.replaceChildren(sortButton(head.textContent, at, shown));
  }
  shown.end = make("div", {});
  place.replaceChildren(list.grouped ? make("p", {class: "none"}, shown.caption) : "", table, shown.end);
  const lines = [...table.querySelectorAll("tbody tr")];
  markStale(list, rows, lines);
  if (shown.isGrouped) addHeadings(shown, rows, lines);
  for (let from = MORE_ROWS; shown.table && from < rows.length; from += MORE_ROWS) addPart(shown, rows.slice(from, from + MORE_ROWS), from);
  drawEnd(shown);
}

function cellsOf({list, rows}, row, at) {
  return list.columns.map(([, cell]) => cell(row, at, rows));
}

// The caption, what is next to a list without a match, and the button that reads on, which scrolling presses.
function drawEnd(shown) {
  const {list, rows, next, total, least, nearest, same, complete} = shown;
  const more = next || (list.incomplete && !complete);
  // Groups of findings say the rest.
  const once = [...same].filter(([at]) => !list.grouped || list.columns[at][0] === "cluster");
  const said = once.map(([at, value]) => `${list.columns[at][0]}: ${value}`);
  const of = total !== null && total > rows.length ? ` of ${least}${digits(total)}` : more ? " of more" : "";
  const noun = list.noun ? list.noun(shown.params) : list.title.toLowerCase();
  const counts = `${digits(rows.length)}${of} ${rows.length === 1 && !of ? noun.replace(/s$/, "") : noun}`;
  shown.caption.replaceChildren(text([counts, ...said].join(" · ")));
  const asked = shown.params.tag && !shown.params.pattern ? "tag" : "pattern";
  const meant = nearest.map((name) => [link(`${location.pathname}?${query({[asked]: name})}`, name), " "]);
  const further = make("button", {type: "button", id: "more"}, "Show more");
  further.onclick = () => readMore(shown);
  const csv = make("button", {type: "button"}, "Download CSV");
  csv.onclick = () => during(() => downloadRows(shown));
  shown.end.replaceChildren(
    meant.length ? make("p", {}, ["Did you mean ", ...meant.flat()]) : "",
    make("p", {class: "none", "aria-live": "polite"}, shown.hint || (complete ? "" : list.incomplete || list.mayMiss || MAY_MISS)),
    make("p", {class: "acts"}, [next ? further : "", rows.length ? csv : ""]),
  );
  if (next) scrolled(further, () => readMore(shown));
}

// Adds rows below the others; false where that would show a column that is hidden, so that all is drawn again.
function appendRows(shown, rows) {
  const from = shown.rows.length - rows.length;
  const {list, same, filled} = shown;
  if (!shown.table || shown.sorted) return false;
  const grouped = (shown.isGrouped && list.group(shown.params, shown)) || [];
  const hidden = list.columns.map((_, at) => at).filter((at) => !filled[at] && !grouped.includes(list.columns[at][0]));
  const fits = (row) => hidden.every((at) => plainText(list.columns[at][1](row, 0, [row])) === (same.get(at) || ""));
  if (!rows.every(fits)) return false;
  addPart(shown, rows, from);
  return true;
}

// A part of the rows. One that is far from the window gives up its lines, so that a hundred thousand rows stay light.
function addPart(shown, rows, from) {
  const names = shown.list.columns.map(([name]) => name).filter((_, at) => shown.filled[at]);
  const lines = () => {
    const made = rows.map((row, at) => tableRow(cellsOf(shown, row, from + at).filter((_, each) => shown.filled[each]), {}, names));
    markStale(shown.list, rows, made);
    return made;
  };
  const headed = (body) => shown.isGrouped && addHeadings(shown, rows, [...body.children]);
  if (!shown.table.style.tableLayout) fixWidths(shown.table);
  const body = make("tbody", {}, lines());
  shown.table.append(body);
  headed(body);
  parts.set(body, lines);
  nearby.observe(body);
}

// Puts rows of one group together; the group of the first row comes first, and rows keep their order within it.
function gather(rows, key) {
  const places = new Map();
  for (const row of rows) if (!places.has(key(row))) places.set(key(row), places.size);
  rows.sort((a, b) => places.get(key(a)) - places.get(key(b)));
}

// A heading above the rows of each group: of a topic or table, or of a kind.
function addHeadings({list}, rows, lines) {
  let last = null;
  lines.forEach((line, at) => {
    const row = rows[at];
    const group = list.groupKey(row);
    if (group !== last) line.before(make("tr", {class: "group"}, make("th", {colspan: line.cells.length, scope: "rowgroup"}, list.groupOf(row, rows))));
    last = group;
  });
}

// Columns keep the width that they have: lines that come and go would change it.
function fixWidths(table) {
  for (const head of table.querySelectorAll("th")) head.style.width = `${head.offsetWidth}px`;
  table.style.tableLayout = "fixed";
}

const parts = new WeakMap();
const nearby = new IntersectionObserver(
  (entries) => {
    for (const {target, isIntersecting} of entries) {
      if (isIntersecting === !target.hasAttribute("data-away")) continue;
      const height = `height:${target.offsetHeight}px`;
      target.toggleAttribute("data-away", !isIntersecting);
      target.replaceChildren(...(isIntersecting ? parts.get(target)() : [make("tr", {class: "away", style: height}, make("td", {}))]));
    }
  },
  {rootMargin: "3000px"},
);

function scrolled(element, act) {
  const watcher = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({isIntersecting}) => isIntersecting)) return;
      watcher.disconnect();
      act();
    },
    {rootMargin: "800px"},
  );
  watcher.observe(element);
}

// Writes all rows of the list, those too that are not read yet, as a file of the reader's computer.
async function downloadRows(shown) {
  await readRest(shown);
  const {list, rows} = shown;
  const keys = keysOf(list);
  const lines = [list.columns.map(([name]) => name), ...rows.map((row) => keys.map((key) => key(row)))];
  const blob = new Blob([lines.map((line) => `${line.map(csvCell).join(",")}\n`).join("")], {type: "text/csv"});
  const file = make("a", {href: URL.createObjectURL(blob), download: `${list.path.slice(1)}.csv`});
  file.click();
  URL.revokeObjectURL(file.href);
  drawList(shown);
}

// An apostrophe is before text that a spreadsheet would run as a formula.
function csvCell(value) {
  const written = value === null || value === undefined ? "" : Array.isArray(value) ? value.join(" ") : String(value);
  const harmless = typeof value !== "number" && /^\s*[=+\-@\t\r]/.test(written) ? `'${written}` : written;
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function plainText(cell) {
  if (cell === null || cell === undefined) return "";
  return Array.isArray(cell) ? cell.map(plainText).join("") : cell.textContent ?? String(cell);
}

// The columns, but the first, whose value is the same in every one of several rows: they are said once, in the caption.
function sameColumns(list, rows) {
  const same = new Map();
  if (rows.length < 3) return same;
  list.columns.slice(1).forEach(([, cell], before) => {
    const values = new Set(rows.map((row) => plainText(cell(row, 0, [row]))));
    const [value] = values;
    if (values.size === 1 && value && value.length < 60) same.set(before + 1, value);
  });
  return same;
}

function countOfAll(count, all) {
  return all > count ? `${digits(count)} of ${digits(all)}` : digits(count);
}

// Findings by rule: the next step is said once. Of some rules there are more findings than are read by now.
function findingGroups(rows, byRule = new Map()) {
  const rules = [...new Set(rows.map((row) => row.rule))];
  if (!rules.length) return make("p", {class: "none"}, "Findings: no match.");
  const clusters = new Set(rows.map((row) => row.cluster)).size;
  return make(
    "div",
    {},
    rules.map((rule) => {
      const own = rows.filter((row) => row.rule === rule);
      const steps = [...new Set(own.map((row) => row.hint))];
      const names = ["where", "what", ...(steps.length > 1 ? ["next step"] : []), ...(clusters > 1 ? ["cluster"] : [])];
      const what = new Set(own.map((row) => row.what)).size;
      const said = own.length > 1 && what === 1;
      const cells = own.map((row) => {
        const members = {where: findingPlace(row), what: said ? "" : row.what, "next step": prose(row.hint), cluster: row.cluster};
        return names.map((name) => members[name]);
      });
      return make("section", {class: "rule"}, [
        make("h3", {}, [mark(own[0].severity, own[0].severity), " ", `${ruleName(rule)} (${countOfAll(own.length, byRule.get(rule))})`]),
        said ? make("p", {}, text(own[0].what)) : "",
        rule === "failed-connector" && location.protocol !== "file:"
          ? later(() => traceParts(own))
          : steps.length === 1 && steps[0]
            ? make("p", {class: "none"}, ["Next step: ", prose(steps[0])])
            : "",
        said && clusters === 1
          ? make(
              "ul",
              {class: "names columns"},
              own.map((row) => make("li", {}, findingPlace(row, ruleName(rule).split(" ").includes("topic")))),
            )
          : tableOf("", names, cells, "", ruleName(rule)),
      ]);
    }),
  );
}

// The whole trace of each failed connector: a page needs no command that shows it.
async function traceParts(findings) {
  const failed = new Set(findings.map((row) => row.where.replace(/^connector /, "")));
  const {items} = await ask("/connectors", {limit: 1000});
  return items.filter(({name}) => failed.has(name)).flatMap(failureParts);
}

// Marks the rows whose data is stale because of something upstream; their causes are read once.
async function markStale(list, rows, lines) {
  const stale = await readStale();
  if (!stale.size) return;
  const byPlace = new Map([...stale.values()].map((row) => [`${row.cluster} ${row.name}`, row]));
  lines.forEach((line, at) => {
    const row = rows[at];
    const found = stale.get(row.id || row.node) || (list.path === "/topics" && byPlace.get(`${row.cluster} ${row.name}`));
    if (found && !line.cells[0].querySelector(".doubt")) line.cells[0].append(" ", mark("stale", "", `because ${causeOf(found)}`));
  });
}

// Sorts by a column; the rest of a long list is read first, up to a bound.
function sortButton(name, column, shown) {
  const button = make("button", {type: "button", class: "sort", title: "Sort"}, name);
  button.onclick = () =>
    during(async () => {
      await readRest(shown, MOST_SORTED);
      const key = keysOf(shown.list)[column];
      const order = shown.sorted === name ? -1 : 1;
      const written = new Map(shown.rows.map((row) => [row, String(key(row) ?? "")]));
      shown.rows.sort((a, b) => order * written.get(a).localeCompare(written.get(b), undefined, {numeric: true}));
      shown.sorted = order === 1 ? name : null;
      drawList(shown);
      [...shown.place.querySelectorAll(".sort")].find((each) => each.textContent === name).focus();
    });
  return button;
}

// The filters of a list; a change of one is in the address, and requests the list again.
async function filterForm(list, params, changed) {
  const clusters = list.filters.includes(CLUSTER) ? (await ask("/clusters")).items.map(({name}) => name) : [];
  const rules = list.filters.some(({kind}) => kind === "rule") ? (await ask("/summary")).findings.map(({rule}) => rule) : [];
  const set = (name, value) => {
    params[name] = value;
    history.replaceState(null, "", `${location.pathname}?${query(params)}`);
    changed();
  };
  const internal = list.fixed && list.fixed.without_internal ? (await ask("/summary")).counts.internal_topics : 0;
  const fields = list.filters.map(({name, words, kind, values}) => {
    if (kind === "internal")
      return internal ? make("label", {}, [checkField(name, params, set), ` ${words} (${internal})`]) : "";
    const options = {choice: values, cluster: clusters, rule: rules}[kind];
    // The place of a hit need not be a cluster.
    if (kind === "cluster" && params[name] && !options.includes(params[name])) options.push(params[name]);
    if (options && options.length < 2 && !params[name]) return "";
    return make(
      "label",
      {},
      kind === "check"
        ? [checkField(name, params, set), ` ${words}`]
        : [`${words} `, options ? selectField(name, options, list, params, set) : textField(name, params, set)],
    );
  });
  const form = make("form", {class: "filters", role: "search", "aria-label": "Filters"}, fields);
  form.onsubmit = (event) => event.preventDefault();
  // On a phone the list comes first: its filters are behind one button.
  const narrow = matchMedia("(max-width: 640px)");
  const fold = make("details", {class: "filtering"}, [make("summary", {}, "Filters"), form]);
  const unfold = () => (fold.open = !narrow.matches);
  narrow.addEventListener("change", unfold);
  unfold();
  return fold;
}

function checkField(name, params, set) {
  const field = make("input", {type: "checkbox", checked: params[name] === "true"});
  field.onchange = () => set(name, field.checked ? "true" : "");
  return field;
}

function selectField(name, values, list, params, set) {
  const preset = (list.fixed || {})[name] || (name === "sort" ? values[0] : "");
  const every = preset ? [] : [make("option", {value: ""}, "all")];
  const chosen = params[name] || preset;
  const field = make("select", {}, [
    ...every,
    ...values.map((value) => make("option", {value, selected: value === chosen}, value)),
  ]);
  field.onchange = () => set(name, field.value);
  return field;
}

function textField(name, params, set) {
  const field = make("input", {type: "search", value: params[name] || "", dir: "auto"});
  let timer = 0;
  field.oninput = () => {
    clearTimeout(timer);
    timer = setTimeout(() => set(name, field.value.trim()), 250);
  };
  return field;
}

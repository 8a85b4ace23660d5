// The search field: hits while typing, on two lines each (name; kind and place), and the one that is taken.
const search = document.getElementById("search"),
  hits = document.getElementById("hits");
const MOST_HITS = 30;
const CHOOSABLE = "[role=option]:not([aria-disabled])";
let entered = false;

function findHits() {
  entered = false;
  hooks.search(search.value, drawHits);
}

// Lists the first hits; *next* reads the following ones, *nearest* are similar names if nothing matches.
function drawHits(all, next = null, nearest = []) {
  if (entered && all.length && !all[0].act) {
    take(all[0]);
    return;
  }
  const listed = byKind([...all.slice(0, MOST_HITS), ...hooks.actions(search.value, all)]).map((hit, at) => hitElement(hit, at));
  const more = all.length > MOST_HITS ? [hitNote(`${all.length - MOST_HITS} more; refine the search`)] : [];
  const none = !all.length && !listed.length && search.value.trim() ? [hitNote(nearest.length ? "No match. Did you mean" : "No match.")] : [];
  // Enter takes a hit; a name that is only near is not one until it is chosen.
  const meant = (listed.length ? [] : nearest).map((name, at) => hitElement({name, key: name, kind: "name", meant: true}, at, false));
  hits.replaceChildren(...listed, ...more, ...none, ...meant);
  if (next) addMore(next);
  showHits(listed[0]);
}

// Hits of one kind follow each other; the kind of the best hit comes first.
function byKind(all) {
  const kinds = [...new Set(all.map(({kind}) => kind))];
  return kinds.flatMap((kind) => all.filter((hit) => hit.kind === kind));
}

function showHits(chosen) {
  hits.hidden = !hits.children.length;
  search.setAttribute("aria-expanded", String(!hits.hidden));
  if (chosen) search.setAttribute("aria-activedescendant", chosen.id);
  else search.removeAttribute("aria-activedescendant");
}

// At the end of the hits: the next page of them.
function addMore(next) {
  const at = hits.children.length;
  hits.append(hitElement({name: "More hits …", key: "", kind: "more", next}, at, false));
}

async function takeMore(next) {
  const at = hits.children.length - 1;
  const [following, rest] = await next();
  hits.lastChild.remove();
  hits.append(...following.map((hit, place) => hitElement(hit, at + place, place === 0)));
  if (rest) addMore(rest);
  if (hits.children[at]) hits.children[at].scrollIntoView({block: "nearest"});
  showHits(hits.children[at]);
}

function hitElement(node, at, chosen = at === 0) {
  const hit = make(
    "li",
    {
      role: "option",
      id: `hit${at}`,
      class: `kind-${cssName(node.kind)}`,
      "data-key": node.key,
      "aria-selected": String(chosen),
    },
    [
      make("span", {class: "icon", "aria-hidden": "true"}, ICONS[node.kind] || "◆"),
      make("span", {class: "hit"}, [
        make("bdi", {class: "title", dir: "auto"}, marked(nameOf(node), node.act ? "" : search.value.trim())),
        make("span", {class: "note"}, noteOf(node)),
      ]),
    ],
  );
  hit.node = node;
  hit.onmousedown = (event) => {
    event.preventDefault();
    take(node);
  };
  return hit;
}

// A name with the part that was looked for marked.
function marked(name, words) {
  const at = words ? name.toLowerCase().indexOf(words.toLowerCase()) : -1;
  if (at < 0) return name;
  const end = at + words.length;
  return [name.slice(0, at), make("mark", {}, name.slice(at, end)), name.slice(end)];
}

function noteOf({kind, where, detail, origin, match, meant, next, act}) {
  return meant || next || act ? "" : [kind.replace(/-/g, " "), origin, where, match === "doc" ? detail : ""].filter(Boolean).join(" · ");
}

function hitNote(words) {
  return make("li", {class: "note", role: "option", "aria-disabled": "true", "aria-selected": "false"}, words);
}

function closeHits() {
  entered = false;
  hits.hidden = true;
  search.setAttribute("aria-expanded", "false");
  search.removeAttribute("aria-activedescendant");
}

function take(node) {
  if (node.next) {
    takeMore(node.next);
    return;
  }
  if (node.act) {
    closeHits();
    location.assign(node.act);
    return;
  }
  if (node.meant) {
    search.value = node.name;
    findHits();
    return;
  }
  closeHits();
  search.blur();
  hooks.take(node);
}

search.addEventListener("input", findHits);
search.addEventListener("focus", findHits);
search.addEventListener("blur", closeHits);
search.addEventListener("keydown", (event) => {
  const options = [...hits.querySelectorAll(CHOOSABLE)];
  const at = options.findIndex((hit) => hit.ariaSelected === "true");
  const to = {ArrowDown: at + 1, ArrowUp: at - 1}[event.key];
  if (event.key === "Escape") search.blur();
  else if (event.key === "/" && !search.value) event.preventDefault();
  else if (event.key === "Enter" && hooks.searching()) entered = true;
  else if (event.key === "Enter" && options[at]) take(options[at].node);
  else if (to !== undefined && options[to]) {
    event.preventDefault();
    options[at].ariaSelected = "false";
    options[to].ariaSelected = "true";
    search.setAttribute("aria-activedescendant", options[to].id);
    options[to].scrollIntoView({block: "nearest"});
  }
});

// `/` and Ctrl-K, or ⌘K, lead to the search from anywhere on the page.
document.addEventListener("keydown", (event) => {
  const command = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
  const slash = event.key === "/" && !(event.ctrlKey || event.metaKey || event.altKey);
  if (!command && !(slash && !event.target.closest?.("input, select, textarea, dialog"))) return;
  event.preventDefault();
  search.focus();
  search.select();
});

// The evidence of an edge in place: the settings of the connector with their values, or the SQL with its line marked.
const AROUND = 6;

function evidencePart(edge) {
  const job = jobOfEdge(edge);
  if (!job) return "";
  const place = make("div", {class: "proof"}, make("p", {class: "none"}, "reading …"));
  during(async () => {
    const parts = job.attributes.type === "connector" ? await settingParts(job, edge) : await sqlParts(job, edge);
    place.replaceChildren(make("p", {}, ["by ", refer(job)]), ...parts);
  });
  return place;
}

// The job that an edge is of: its end, or of a column flow the job between that the evidence names.
function jobOfEdge(edge) {
  const end = [edge.source, edge.target].find(({kind}) => kind === "job");
  if (end || edge.kind !== "column-flow") return end;
  const jobs = jobsBetween({source: edge.source.card, target: edge.target.card}).map(([read]) => read.target);
  return jobs.find(({name}) => edge.evidence.includes(name)) || jobs[0];
}

async function settingParts(job, edge) {
  const answer = await ask("/connectors", {pattern: job.name, limit: 1000});
  const found = answer.items.find(
    (row) => row.name === job.name && job.namespace.endsWith(`/${row.source.replace(/^connect:/, "")}`),
  );
  if (!found) return [];
  const named = edge.evidence.split(/[:,]\s+/).filter((name) => name in found.config);
  // A transform is evidence with all of its settings.
  const names = Object.keys(found.config).filter(
    (name) => named.includes(name) || named.some((known) => /^transforms\../.test(known) && name.startsWith(`${known}.`)),
  );
  return [names.length ? factList(names.map((name) => [name, found.config[name]])) : "", ...failureParts(found)];
}

async function sqlParts(job, edge) {
  const script = job.name.replace(/:\d+$/, "");
  const answer = await ask("/statements", {pattern: script, limit: 1000});
  const found = answer.items.find(({name}) => [job.name, script].includes(name));
  const [, line] = edge.evidence.match(/, (\d+):\d+(?=:|$)/) || [];
  const source = found ? found.statement : job.attributes.statement;
  if (!source) return [];
  return [sqlPart(source.split("\n"), line && found ? Number(line) : null)];
}

// The text around a line, which is marked; all of it where no line is known.
function sqlPart(lines, marked) {
  const first = marked === null ? 0 : Math.max(0, marked - AROUND);
  const last = marked === null ? lines.length : marked + AROUND;
  const shown = lines.slice(first, last).map((words, at) => {
    const number = first + at + 1;
    const row = `${String(number).padStart(4)}  ${words}\n`;
    return number === marked ? make("mark", {}, row) : row;
  });
  return make("pre", {tabindex: "0", class: "sql", "aria-label": "SQL"}, shown);
}

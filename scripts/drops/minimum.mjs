/** The result of the drops counted so far. */
export function beginCount() {
  return {
    people: new Map(),
    gone: new Set(),
    customers: new Map(),
    projects: new Map(),
    seen: { department: new Set(), unit: new Set(), party: new Set() },
    links: new Map(),
  };
}

/** The minimum number of writes, computed from the drops alone. */
export function countMinimum(before, after) {
  const sum = { ...countValues(before, after), ...countPeople(before, after), customers: 0, projects: 0 };
  for (const [kind, names] of [
    ['customers', ['name', 'url', 'description']],
    ['projects', ['name', 'address']],
  ]) {
    for (const row of after[kind]) {
      const old = before[kind].get(row.id);
      if (old === undefined || hasMoved(old, row, names)) sum[kind] += 1;
      before[kind].set(row.id, row);
    }
  }
  const { calls, roles } = countLinks(before, after);
  return Object.values({ ...sum, calls, roles }).reduce((a, b) => a + b, 0);
}

/** An empty value changes nothing. */
function hasMoved(a, b, names) {
  return names.some((name) => (b[name] ?? '') !== '' && a[name] !== b[name]);
}

/** Offices, categories and tags: one write each. */
function countValues(before, after) {
  const sum = { offices: 0, categories: 0, tags: 0 };
  for (const name of ['department', 'unit', 'party']) {
    const ever = new Set([...before.seen[name], ...after.people.map((row) => `${row.country}/${row[name]}`)]);
    const grown = ever.size - before.seen[name].size;
    if (name === 'department') sum.offices += grown;
    else {
      sum.tags += grown;
      if (before.seen[name].size === 0 && grown > 0) sum.categories += 1;
    }
    before.seen[name] = ever;
  }
  return sum;
}

/** One write per person, for any number of changes. */
function countPeople(before, after) {
  const managed = ['email', 'display_name', 'country', 'department', 'job_title', 'mobile', 'unit', 'party'];
  const year = (row) => row.birth_date.slice(0, 4);
  const sum = { created: 0, updated: 0, left: 0 };
  const now = new Map(after.people.map((row) => [row.employee_id, row]));
  for (const [key, row] of now) {
    const old = before.people.get(key);
    if (old === undefined) sum.created += 1;
    else if (before.gone.has(key) || hasMoved(old, row, managed) || (year(row) !== '' && year(old) !== year(row)))
      sum.updated += 1;
    before.gone.delete(key);
    before.people.set(key, row);
  }
  for (const key of before.people.keys()) {
    if (now.has(key) || before.gone.has(key)) continue;
    sum.left += 1;
    before.gone.add(key);
  }
  return sum;
}

/**
 * Counts one call per project with new people, because one call links them all, and one more call per new role of a person.
 * Links are permanent, and leavers are not linked. Call this after counting people and projects.
 */
function countLinks(before, after) {
  const growing = new Set();
  let roles = 0;
  for (const { project_id: project, employee_id: person, role } of after.staffing) {
    if (!before.projects.has(project) || !before.people.has(person) || before.gone.has(person)) continue;
    const pair = `${project}/${person}`;
    if (!before.links.has(pair)) {
      growing.add(project);
      before.links.set(pair, new Set());
    }
    const held = before.links.get(pair);
    if (role !== '' && !held.has(role.toLowerCase())) roles += 1;
    held.add(role.toLowerCase());
  }
  return { calls: growing.size, roles };
}

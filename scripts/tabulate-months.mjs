/** @typedef {{ atMs: number, of: string, key: string | null, found: number, limit: number, fresh: number, isIdentity: boolean }} Question */
/** @typedef {{ people: number, rhythm: string, months: number, runs: number, questions: Question[], faults: string[] }} Played */

/** One row for each size and rhythm, for any number of seeds. @param {Played[]} played */
export function tabulate(played) {
  const byName = new Map();
  for (const one of played) {
    const name = `${one.people} ${one.rhythm}`;
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const rows = [...byName.values()].map((of) => {
    const [{ people, rhythm }] = of;
    const months = of.flatMap(countMonths).toSorted((a, b) => a - b);
    const all = of.flatMap(({ questions }) => questions);
    const identity = all.filter(({ isIdentity }) => isIdentity).length / months.length;
    return [
      people.toLocaleString('en'),
      rhythm,
      months.length,
      months[months.length >> 1],
      months.at(-1),
      countByGuard(all) || 'none',
      identity.toFixed(1),
    ];
  });
  const head = [
    'people',
    'runs',
    'months played',
    'questions in a month, median',
    'most',
    'by',
    'people under another number, per month',
  ];
  return { head, rows };
}

/** The questions of each month. People who returned under another number are counted separately. */
function countMonths({ months, firstMonth, questions }) {
  const counts = Array.from({ length: months }, () => 0);
  for (const { atMs, isIdentity } of questions) if (!isIdentity) counts[new Date(atMs).getUTCMonth() - firstMonth] += 1;
  return counts;
}

function countByGuard(questions) {
  const counts = new Map();
  for (const { of, isIdentity } of questions) if (!isIdentity) counts.set(of, (counts.get(of) ?? 0) + 1);
  return [...counts].map(([guard, count]) => `\`${guard}\` ${count}`).join(', ');
}

/** One line per question. @param {Played[]} played */
export function describeQuestions(played) {
  return played
    .flatMap(({ people, rhythm, questions, faults }) => [
      ...questions.map(({ atMs, of, key, found, limit, fresh, isIdentity }) => {
        const what = key === null ? `${found} found, ${limit} allowed, ${fresh} new` : key;
        return `${people} ${rhythm} ${new Date(atMs).toISOString().slice(0, 16)} ${of}: ${what}${isIdentity ? ' (another number)' : ''}`;
      }),
      ...faults.map((fault) => `${people} ${rhythm} FAULT ${fault}`),
    ])
    .join('\n');
}

/**
 * "Also similar" of the user search: every word asked for is within a small edit distance of some word of the user.
 * One typo in words of four to six letters, two in longer ones; short words must be exact, or everything is similar.
 */
export function isSimilar(key: string, asked: string): boolean {
  const words = key.split(/[\s@.,_-]+/);
  return asked
    .split(/[\s@.,_-]+/)
    .filter((word) => word !== '')
    .every((wanted) => words.some((word) => isNear(word, wanted)));
}

function isNear(word: string, wanted: string): boolean {
  const allowed = wanted.length < 4 ? 0 : wanted.length < 7 ? 1 : 2;
  if (word === wanted) return true;
  if (allowed === 0 || Math.abs(word.length - wanted.length) > allowed) return false;
  return measureDistance(word, wanted) <= allowed;
}

/** Levenshtein distance, one row at a time. */
function measureDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, change));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Returns the same numbers for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Node = Record<string | number, unknown>;

const isContainer = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const HOSTILE_NAMES = ['constructor', 'toString', 'hasOwnProperty', '\u0000', '\ud800', '', 'id', '\u202e'];

/** Replacements of a value. None is a value that the system could mean: a changed name is news, not an attack. */
const VALUES: readonly ((value: unknown) => unknown)[] = [
  () => null,
  () => [],
  () => ({}),
  (value) => [value],
  (value) => ({ value }),
  () => [[[[[]]]]],
  () => [null, null],
  () => Object.fromEntries(HOSTILE_NAMES.map((name) => [name, name])),
  () => 1e308,
  () => -0.5,
];

/** Additions to an object or list. */
const ADDITIONS: readonly ((node: Node) => void)[] = [
  (node) => {
    for (const name of HOSTILE_NAMES)
      if (!Array.isArray(node) && node[name] === undefined) node[name] = { deactivated: true };
  },
  (node) => {
    if (!Array.isArray(node))
      Object.defineProperty(node, '__proto__', { value: { deactivated: true, active: false }, enumerable: true });
  },
  (node) => {
    if (Array.isArray(node) && node.length > 0) node.push(structuredClone(node[0]));
  },
  (node) => {
    if (Array.isArray(node)) node.push(null, 1, 'x', [], {});
  },
];

/** Changes of the entire text. */
const TEXTS: readonly ((text: string) => string)[] = [
  (text) => text.slice(0, Math.floor(text.length / 2)),
  () => '',
  () => 'null',
  () => '[]',
  () => '{}',
  () => '"\\ud800\\u0000"',
  () => '1e999',
  () => '<html><body>Sign in</body></html>',
  (text) => text.replace('{', '{"id":null,"id":[],'),
  (text) => text.replace('{', `{"deep":${'['.repeat(5_000)}${']'.repeat(5_000)},`),
  (text) => text.replace('{', `{"long":"${'\\u0000'.repeat(500_000)}",`),
  (text) => `${text}${text}`,
];

/** Damages one thing in an answer, of any format. */
export function mutate(text: string, random: () => number): string {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  if (random() < 0.2) return pick(TEXTS)(text);
  const root: unknown = JSON.parse(text);
  const nodes: Node[] = [];
  const collect = (value: unknown): void => {
    if (!isContainer(value)) return;
    nodes.push(value);
    for (const inner of Object.values(value)) collect(inner);
  };
  collect(root);
  if (nodes.length === 0) return pick(TEXTS)(text);
  const node = pick(nodes);
  if (random() < 0.3) pick(ADDITIONS)(node);
  else {
    const name = pick([...Object.keys(node), ...(Array.isArray(node) ? [] : ['new'])]);
    if (name !== undefined) node[name] = pick(VALUES)(node[name]);
  }
  return JSON.stringify(root);
}

import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import type { LookupMaps } from '../model/lookup-maps.js';

/**
 * Maps function names in expressions to the names that are registered, because the library rejects a second function of
 * the same name.
 */
const ASCII_ONLY: Readonly<Record<string, string>> = { lowerAscii: 'lowerAsciiOnly', upperAscii: 'upperAsciiOnly' };
const OF_ALL_LETTERS: Readonly<Record<string, string>> = { lowerAscii: 'lower', upperAscii: 'upper' };

/**
 * `lowerAscii` and `upperAscii` change only the letters A to Z, as CEL defines them. The library's own functions change
 * all letters, and turn `İ` into `i̇`, which no address contains. `lower` and `upper` also change all letters, and are
 * meant for words.
 */
export function registerCase(environment: Environment): void {
  const register = (name: string, change: (text: string) => string): void =>
    void environment.registerFunction(`string.${name}(): string`, change);
  register('lowerAsciiOnly', (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()));
  register('upperAsciiOnly', (text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()));
  register('lower', lowerAll);
  register('upper', (text) => text.toUpperCase());
}

/** Converts to lower case, without the dot that JavaScript adds above the `i` when it converts `İ`. */
export function lowerAll(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

export function useAsciiCase(call: ASTNode & { op: 'rcall' }): void {
  const [name] = call.args;
  if (Object.hasOwn(ASCII_ONLY, name)) call.args[0] = ASCII_ONLY[name] ?? name;
}

export function nameOfAsciiCase(name: string): string {
  return name.replaceAll(/\b(lower|upper)AsciiOnly\b/g, '$1Ascii');
}

const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', 'in']);
/** Functions that search a value for a fixed text. */
const SEARCHES: ReadonlySet<string> = new Set(
  'contains startsWith endsWith indexOf lastIndexOf matches matchesLinear replace split'.split(' '),
);

/** Macros that test a condition on each text of a list. */
const MACROS: ReadonlySet<string> = new Set(['exists', 'exists_one', 'all', 'filter']);

/**
 * Finds a comparison of `lowerAscii` or `upperAscii` with a word that has letters beyond A to Z. Those letters keep
 * their case, so the comparison would fail without an error.
 */
export function findAsciiCompared(
  node: ASTNode,
  maps: LookupMaps,
  childrenOf: (node: ASTNode) => readonly ASTNode[],
): { readonly message: string; readonly remedy: string } | null {
  const callIn = (one: ASTNode): string | null => {
    const own = one.op === 'rcall' ? Object.keys(ASCII_ONLY).find((name) => one.args[0] === name) : undefined;
    return own ?? childrenOf(one).reduce<string | null>((found, child) => found ?? callIn(child), null);
  };
  for (const [value, words] of listCompared(node, maps)) {
    const word = words.find(hasOtherLetters);
    const call = word === undefined ? null : callIn(value);
    if (call === null || word === undefined) continue;
    const letters = [...word].filter(hasOtherLetters).join(', ');
    return {
      message: `\`${call}\` changes only the letters A to Z, and "${word}" has others (${letters}): a text in another case would not match`,
      remedy: `Write \`${OF_ALL_LETTERS[call]}()\`, which changes all letters.`,
    };
  }
  return null;
}

type Compared = readonly (readonly [value: ASTNode, words: readonly string[]])[];

/** Lists the values in a node, each with the fixed texts that it is compared with. */
function listCompared(node: ASTNode, maps: LookupMaps): Compared {
  if (COMPARISONS.has(node.op)) {
    const [left, right] = node.args as [ASTNode, ASTNode];
    return [
      [left, textsOf(right)],
      [right, textsOf(left)],
    ];
  }
  if (node.op === 'rcall') return listAsked(node);
  if ((node.op === '[]' || node.op === '[?]') && node.args[0].op === '.') {
    const [owner, name] = node.args[0].args;
    const isMap = owner.op === 'id' && owner.args === 'maps' && typeof node.args[1] === 'object';
    return isMap ? [[node.args[1] as ASTNode, Object.keys(maps[name] ?? {})]] : [];
  }
  return [];
}

function listAsked({ args: [name, receiver, [first, condition]] }: ASTNode & { op: 'rcall' }): Compared {
  if (SEARCHES.has(name) && first !== undefined) return [[receiver, textsOf(first)]];
  return MACROS.has(name) && condition !== undefined ? [[condition, textsOf(receiver)]] : [];
}

function textsOf(node: ASTNode): readonly string[] {
  if (node.op === 'list') return node.args.flatMap(textsOf);
  return node.op === 'value' && typeof node.args === 'string' ? [node.args] : [];
}

function hasOtherLetters(text: string): boolean {
  return /[^\P{L}a-zA-Z]/u.test(text);
}

import { isMixed, mayDiffer, type WrittenPath } from './allowed-parts.js';

export interface WrittenDifferences {
  /** Changed paths that may differ, such as `users.fields.title`. */
  readonly allowed: readonly string[];
  /** Changed paths that must equal the current configuration. */
  readonly refused: readonly string[];
}

/** Maximum number of names in a reported path. */
const DEEPEST_ALLOWED = 3;

/**
 * Compares two written configurations before they are resolved. A value of an unusual YAML 1.1 type, such as a set or bytes,
 * differs from every other value.
 */
export function compareWritten(inForce: unknown, edited: unknown): WrittenDifferences {
  const found = { allowed: new Set<string>(), refused: new Set<string>() };
  collect(inForce, edited, [], found);
  return { allowed: [...found.allowed].sort(), refused: [...found.refused].sort() };
}

function collect(
  before: unknown,
  now: unknown,
  path: WrittenPath,
  found: { readonly allowed: Set<string>; readonly refused: Set<string> },
): void {
  if (isSame(before, now)) return;
  const isAllowed = mayDiffer(path);
  const goesOn = isMixed(path) || (isAllowed ? path.length < DEEPEST_ALLOWED : true);
  if (goesOn && (isMap(before) || isMap(now)) && [before, now].every((one) => one === undefined || isMap(one))) {
    const [a, b] = [before ?? {}, now ?? {}] as [WrittenMap, WrittenMap];
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    // An empty map that was added or removed has no parts to name.
    if (names.size > 0) {
      for (const name of names) collect(own(a, name), own(b, name), [...path, name], found);
      return;
    }
  }
  found[isAllowed ? 'allowed' : 'refused'].add(path.join('.') || 'the configuration');
}

type WrittenMap = Readonly<Record<string, unknown>>;

function own(map: WrittenMap, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

function isMap(value: unknown): value is WrittenMap {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  }
  if (!isMap(one) || !isMap(other)) return typeof one !== 'object' || one === null ? Object.is(one, other) : false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}

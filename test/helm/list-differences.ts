import type { Manifest } from './manifest.js';

/**
 * The differences in the objects of a tenant: `KIND PATH` with the new value, or `KIND` alone for an added or removed
 * object. Undefined stands for a removed value. Rules of alerts go by the name of their alert.
 */
export function listDifferences(
  before: readonly Manifest[],
  after: readonly Manifest[],
): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const [was, is] = [before, after].map((all) => new Map(all.map((one) => [one.kind, nameRules(one)])));
  for (const kind of new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]))
    compare(was?.get(kind), is?.get(kind), [kind], found);
  return found;
}

function nameRules(manifest: Manifest): object {
  if (manifest.kind !== 'PrometheusRule') return manifest;
  const { groups } = manifest.spec as { readonly groups: readonly { readonly rules: readonly { alert: string }[] }[] };
  const rules = groups.flatMap((group) => group.rules.map((rule) => [rule.alert, rule]));
  return { metadata: manifest.metadata, ...Object.fromEntries(rules) };
}

function compare(before: unknown, after: unknown, path: readonly string[], found: Record<string, unknown>): void {
  if (isTree(before) && isTree(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(before[key], after[key], [...path, key], found);
  } else if (before !== after) {
    const [kind = '', ...rest] = path;
    found[rest.length === 0 ? kind : `${kind} ${rest.join('.')}`] = after;
  }
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

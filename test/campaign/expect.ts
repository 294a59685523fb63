import { canonicalJson, type Json } from '../../src/model/json.js';
import type { Yaml } from '../scenarios/company.js';
import type { RunDocument } from '../scenarios/documents.js';
import type { Call } from './door.js';
import { type Facts, type Holding, listOf } from './part.js';
import { PARTS } from './parts.js';
import { Violation } from './violation.js';

function isSame(before: Facts | undefined, after: Facts | undefined): boolean {
  return canonicalJson((before ?? null) as Json) === canonicalJson((after ?? null) as Json);
}

/** First word of the objects → the fewest writes. */
export function countWrites(before: Holding, after: Holding): ReadonlyMap<string, number> {
  return new Map(
    PARTS.map((part) => {
      let writes = part.countCommon?.(before, after) ?? 0;
      for (const name of new Set([...before.keys(), ...after.keys()])) {
        if (!name.startsWith(`${part.of} `) || isSame(before.get(name), after.get(name))) continue;
        writes += part.countWrites(before.get(name), after.get(name));
      }
      return [part.of, writes];
    }),
  );
}

export function expectCalm({ code, json }: { readonly code: number; readonly json: RunDocument }, quiet: number): void {
  if (code !== quiet) throw new Violation('exit code', `a run without faults ends with ${code}: ${describeRun(json)}`);
}

export function expectFewest(calls: readonly Call[], fewest: ReadonlyMap<string, number>): void {
  const writes = calls.filter(({ isWrite }) => isWrite).length;
  const sum = [...fewest.values()].reduce((all, one) => all + one, 0);
  if (writes === sum) return;
  const sent = new Map<string, number>();
  for (const { isWrite, method, path } of calls) {
    const name = `${method} ${path.replace(/\?.*/, '').replace(/\/[0-9a-f]{24}/g, '/:id')}`;
    if (isWrite) sent.set(name, (sent.get(name) ?? 0) + 1);
  }
  const list = [...sent].map(([name, times]) => `${times} × ${name}`).sort();
  throw new Violation(
    'fewest writes',
    `${writes} writes where ${sum} are enough (${[...fewest].join(' ')}): ${list.join(', ')}`,
  );
}

/** After any fault: nothing is doubled, nobody has left wrongly, and everything that no source touched is unchanged. */
export function expectSafe(before: Holding, after: Holding, found: Holding): void {
  for (const [name, facts] of found) {
    const wanted = after.get(name);
    if (wanted === undefined && before.has(name)) continue;
    if (wanted === undefined) throw new Violation('safety', `${name} should not be there: ${JSON.stringify(facts)}`);
    if (facts.deactivated === true && wanted.deactivated === false && before.get(name)?.deactivated !== true) {
      throw new Violation('safety', `${name} was deactivated without proof`);
    }
    for (const [field, value] of Object.entries(facts)) {
      const had = before.get(name);
      if (had !== undefined && !isBetween(value, had[field], wanted[field]))
        throw new Violation('safety', `${name}: ${field} is ${JSON.stringify(value)}, neither as it was nor as wanted`);
    }
  }
  for (const name of before.keys())
    if (!found.has(name) && after.has(name)) throw new Violation('safety', `${name} is gone`);
}

/**
 * The old value, the wanted value, or one that an interrupted run may leave: a parked address, or a list that changes
 * by one
 * entry per call and never lacks what both sides have.
 */
function isBetween(value: Yaml | undefined, had: Yaml | undefined, wanted: Yaml | undefined): boolean {
  const [is, ...allowed] = [value, had, wanted].map((one) => canonicalJson((one ?? null) as Json));
  if (allowed.includes(is ?? '') || String(value).startsWith('parked-')) return true;
  if (!Array.isArray(value)) return false;
  const [was, goal] = [listOf(had), listOf(wanted)];
  return (
    value.every((one) => was.includes(one) || goal.includes(one)) &&
    was.every((one) => !goal.includes(one) || value.includes(one))
  );
}

export function expectSame(wanted: Holding, found: Holding): void {
  const differences: string[] = [];
  for (const name of new Set([...wanted.keys(), ...found.keys()])) {
    const [there, here] = [wanted.get(name), found.get(name)];
    if (there === undefined || here === undefined) {
      differences.push(`${name} ${here === undefined ? 'is missing' : `is too many: ${JSON.stringify(here)}`}`);
      continue;
    }
    for (const field of new Set([...Object.keys(there), ...Object.keys(here)])) {
      const [want, have] = [there[field] ?? null, here[field] ?? null];
      if (canonicalJson(want as Json) !== canonicalJson(have as Json))
        differences.push(`${name}: ${field} is ${JSON.stringify(have)} and should be ${JSON.stringify(want)}`);
    }
  }
  if (differences.length > 0) throw new Violation('end state', differences.join('; '));
}

/** The problems in the document of a run or plan. */
export function describeRun(document: object): string {
  const names = ['counts', 'to_sources', 'failed', 'held', 'guards', 'conflicts', 'stopped', 'errors', 'error'];
  const said = Object.entries(document).filter(
    ([name, part]) => names.includes(name) && part !== null && (!Array.isArray(part) || part.length > 0),
  );
  return JSON.stringify(Object.fromEntries(said));
}

/** `plan.counts.users.update: 1, and 2` */
export function listDifferences(path: string, one: unknown, other: unknown): readonly string[] {
  const texts = [one, other].map((side) => JSON.stringify(side));
  if (texts[0] === texts[1]) return [];
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return [`${path}: ${texts[0]}, and ${texts[1]}`];
  const sides = [one, other] as readonly Readonly<Record<string, unknown>>[];
  const names = new Set(sides.flatMap((side) => Object.keys(side)));
  return [...names].flatMap((name) => listDifferences(`${path}.${name}`, sides[0]?.[name], sides[1]?.[name]));
}

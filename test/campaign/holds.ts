import type { NamedHold } from '../../src/model/desired.js';
import type { Story } from '../scenarios/kit.js';
import type { PartReference } from './part.js';
import { Violation } from './violation.js';

/** The key of each record that must be held. */
export function listWanted(references: readonly PartReference[]): readonly string[] {
  return references.flatMap((reference) => reference.listHeld?.() ?? []).sort();
}

/** The exit code of a run that leaves nothing to do except holds. */
export function quietCode(wanted: readonly string[]): number {
  return wanted.length > 0 ? 4 : 0;
}

/** Left by an undo; listed until its plan expires, whatever later runs find (docs/guides/undo.md). */
const OF_AN_UNDO = /^SYNC_UNDO_/;

/** Expects a run and `holds list` to list every record that must be held, even long afterwards, and nothing else. */
export async function expectHeld(story: Story, held: readonly NamedHold[], wanted: readonly string[]): Promise<void> {
  const { stdout } = await story.type('holds', 'list', '--json');
  const { holds } = JSON.parse(stdout) as { readonly holds: readonly NamedHold[] };
  for (const [where, listed] of [
    ['a plan', held],
    ['holds list', holds.filter(({ code }) => !OF_AN_UNDO.test(code))],
  ] as const) {
    const keys = [...new Set(listed.map(({ key }) => key))].sort();
    if (keys.join() === wanted.join()) continue;
    const said = listed.map(({ entity, key, code }) => `${entity} ${key} ${code}`).join(', ');
    throw new Violation('holds', `${where} should list ${wanted.join(', ')}, and lists ${said}`);
  }
}

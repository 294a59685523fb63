import type { Story } from '../scenarios/kit.js';
import type { Holding, Part } from './part.js';
import { Violation } from './violation.js';

/** Remembers the contents of each table, delivery by delivery. */
export interface Deliveries {
  /** Notes a delivery. @returns whether it equals an earlier one that a later one has replaced */
  isOlder(table: string, rows: string): boolean;
}

export function rememberDeliveries(): Deliveries {
  const seen = new Map<string, string[]>();
  return {
    isOlder(table, rows) {
      const earlier = seen.get(table) ?? [];
      seen.set(table, [...earlier.filter((one) => one !== rows), rows]);
      return earlier.at(-1) !== rows && earlier.includes(rows);
    },
  };
}

/** True if a round activates, deactivates or deletes an object of that kind. */
export function movesUse({ of }: Part, before: Holding, after: Holding): boolean {
  return [...before].some(([name, { deactivated }]) => {
    if (!name.startsWith(`${of} `)) return false;
    const now = after.get(name);
    return now === undefined || now.deactivated !== deactivated;
  });
}

const FOR_A_YEAR_MS = 365 * 86_400_000;

/**
 * Approves older content that activates or deactivates anything: it is held, with exactly this number, until an
 * approval.
 */
export async function approveOlder(story: Story, sources: ReadonlySet<string>, whileWaiting: number): Promise<void> {
  const approved = new Set<string>();
  // The source that decides tags is held behind the one that decides offices, although it is one source.
  for (let turn = 0; turn < 4; turn++) {
    const { code, json } = await story.plan({ full: true });
    const waiting = json.guards.filter(({ cause }) => cause === 'older content');
    if (waiting.length === 0) break;
    if (code !== whileWaiting) throw new Violation('exit code', `older content is held, and a plan ends with ${code}`);
    for (const { guard } of waiting) {
      const { code: given } = await story.approve({ guard, reason: 'it is right', expires: FOR_A_YEAR_MS });
      if (given !== 0) throw new Violation('exit code', `an approval of ${guard} ends with ${given}`);
      approved.add(guard.split(/[.:]/)[1] ?? '');
    }
  }
  const [held, wanted] = [approved, sources].map((names) => [...names].sort().join(', '));
  if (held !== wanted)
    throw new Violation('safety', `older content of ${wanted} should wait, and that of ${held} does`);
}

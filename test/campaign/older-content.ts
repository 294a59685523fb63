import type { Story } from '../scenarios/kit.js';
import type { Holding, Part } from './part.js';
import { Violation } from './violation.js';

/** Remembers what each table showed, delivery by delivery. */
export interface Deliveries {
  /** Takes note of a delivery; whether it is what an earlier one was and a later one has replaced. */
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

/** Whether a round takes an object of that kind in or out of use: somebody, or something that is deleted. */
export function movesUse({ of }: Part, before: Holding, after: Holding): boolean {
  return [...before].some(([name, { deactivated }]) => {
    if (!name.startsWith(`${of} `)) return false;
    const now = after.get(name);
    return now === undefined || now.deactivated !== deactivated;
  });
}

const FOR_A_YEAR_MS = 365 * 86_400_000;

/** Older content that takes anything in or out of use waits, just so much of it, until somebody says that it is right. */
export async function approveOlder(story: Story, sources: ReadonlySet<string>, whileWaiting: number): Promise<void> {
  const approved = new Set<string>();
  // What decides tags waits behind what decides offices, although it is one source.
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

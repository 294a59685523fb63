import { closeOpened } from '../closing.js';
import { generateHistory, type Scope, withoutFaults } from './generate.js';
import type { History } from './history.js';
import { play, type Tally } from './play.js';
import { shrinkHistory } from './shrink.js';
import type { Broken } from './violation.js';

export interface Campaign {
  readonly tally: Tally;
  /** The histories that broke a rule; the first is as short as possible. */
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly seed: number;
  readonly broken: Broken;
  readonly history: History;
}

export interface CampaignOptions {
  /** The seed of the first history; each next one has one more. */
  readonly seed: number;
  readonly scope: Scope;
  /** Called before each history. */
  goesOn(histories: number): boolean;
  /** How long a failing history may be shortened. */
  readonly shrinkForMs: number;
  /** Continues after a failure, and shortens none. */
  readonly isPatient: boolean;
}

/**
 * Plays one random history after the other, each without and with its faults, until one breaks a rule or the time is
 * up.
 */
export async function runCampaign({ seed, scope, goesOn, shrinkForMs, isPatient }: CampaignOptions): Promise<Campaign> {
  const tally: Tally = new Map([['histories', 0]]);
  const failures: Failure[] = [];
  for (let at = seed; goesOn(at - seed); at++) {
    const history = generateHistory(at, scope);
    const broken = await tellBoth(history, tally);
    tally.set('histories', at - seed + 1);
    if (broken === null) continue;
    if (isPatient) {
      failures.push({ seed: at, history, broken });
      continue;
    }
    const endsMs = Date.now() + shrinkForMs;
    const shortest = await shrinkHistory({ history, broken }, (shorter) =>
      Date.now() > endsMs ? Promise.resolve(null) : tellBoth(shorter, new Map()),
    );
    return { tally, failures: [{ seed: at, ...shortest }] };
  }
  return { tally, failures };
}

/** The failure in either telling. The one without faults also says where the faults of the other are. */
export async function tellBoth(history: History, tally: Tally): Promise<Broken | null> {
  const calm = await tellOne(withoutFaults(history), null, tally);
  if (calm.broken !== null) return { ...calm.broken, text: `without faults, ${calm.broken.text}` };
  return (await tellOne(history, calm.sizes, tally)).broken;
}

async function tellOne(
  history: History,
  ...[sizes, tally]: [Parameters<typeof play>[1], Tally]
): ReturnType<typeof play> {
  try {
    const played = await play(history, sizes);
    for (const [name, count] of played.tally) tally.set(name, (tally.get(name) ?? 0) + count);
    return played;
  } finally {
    await closeOpened();
  }
}

import { SyncError } from '../../../src/base/errors.js';
import type { Fault } from '../crm/imitations/vendor-server.js';
import type { PeopleRead, Staff } from './vendor.js';

const HOUR = 3_600_000;
const READS = 60;
const HALF_DAYS = 60;
const FAULTS: readonly Fault[] = ['reset', 'truncated', 'html', 500, 502];

/** Returns numbers from 0 to 1, the same for the same seed. */
function drawFrom(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

interface Fates {
  readonly working: Set<string>;
  readonly left: Set<string>;
  readonly removed: Set<string>;
  readonly hidden: Set<string>;
}

/**
 * Plays a month at a company, read twice a day by default. People are hired, promoted and deleted, take leave, quit or
 * are hidden, while calls fail.
 * @returns people wrongly taken for leavers, and people who left or were deleted but were missed until the end
 */
export async function playMonth(staff: Staff, seed: number, reads = READS) {
  const draw = drawFrom(seed);
  const fates: Fates = { working: new Set(staff.ids), left: new Set(), removed: new Set(), hidden: new Set() };
  const wrong = new Set<string>();
  const seen = new Set(staff.ids);
  await staff.people.read();
  const apart = HALF_DAYS / reads;
  for (let read = 0; read < reads; read++) {
    for (let events = Math.floor(draw() * 3 * apart); events > 0; events--) happen(staff, fates, draw);
    staff.time.now += 12 * HOUR * apart;
    if (draw() < 0.3) staff.server.failNext(FAULTS[Math.floor(draw() * FAULTS.length)] ?? 'reset');
    const came = await staff.people.read().catch((error: unknown) => error);
    if (came instanceof SyncError) continue;
    for (const id of (came as PeopleRead).cells.keys()) seen.add(id);
    for (const id of listLeavers(staff, came as PeopleRead)) if (fates.working.has(id)) wrong.add(id);
  }
  staff.server.faults.length = 0;
  staff.time.now += 25 * HOUR;
  const found = new Set(listLeavers(staff, await staff.people.read()));
  for (const id of found) if (fates.working.has(id)) wrong.add(id);
  const missed = [...fates.left, ...fates.removed].filter((id) => seen.has(id) && !found.has(id));
  return { wrong: [...wrong], missed };
}

/** A complete read reports everyone it lacks as gone. */
function listLeavers(staff: Staff, { cells, gone, complete }: PeopleRead): readonly string[] {
  const left = [...cells].filter(([, one]) => staff.hasLeft(one)).map(([id]) => id);
  const absent = complete ? staff.ids.filter((id) => !cells.has(id)) : [];
  return [...left, ...gone, ...absent];
}

function happen(staff: Staff, { working, left, removed, hidden }: Fates, draw: () => number): void {
  const seen = [...working].filter((id) => !hidden.has(id));
  const id = seen[Math.floor(draw() * seen.length)];
  const kind = Math.floor(draw() * 7);
  if (id === undefined) return;
  if (kind === 0) working.add(staff.hire(`hired${working.size}`, staff.time.now + draw() * 20 * 24 * HOUR));
  else if (kind === 1) staff.promote(id, `title ${draw()}`);
  else if (kind === 2) staff.rest(id);
  else if (kind === 3 || kind === 4) {
    working.delete(id);
    (kind === 3 ? left : removed).add(id);
    if (kind === 3) staff.leave(id);
    else staff.remove(id);
  } else if (kind === 5 && staff.hide !== undefined) {
    staff.hide(id);
    hidden.add(id);
  }
}

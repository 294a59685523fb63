import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Story } from '../scenarios/kit.js';
import { erasePerson, linkPerson, unlinkPerson } from '../scenarios/operator.js';
import { describeRun, expectSafe, expectSame } from './expect.js';
import type { Act } from './history.js';
import type { Holding } from './part.js';
import { Violation } from './violation.js';

export interface Acting {
  readonly story: Story;
  /** The contents of the service before the round's runs, and now. */
  readonly before: Holding;
  readonly after: Holding;
  /** The round's last run that changed something; null if none did. */
  readonly lastRun: string | null;
  /** The state before the round; null if none existed. */
  readonly backup: string | null;
  look(): Holding;
  /** Accounts deactivated between the two were not deactivated by a run that the state knows of. */
  disown(from: Holding, to: Holding): void;
}

/** Does it, and checks the promises to the operator against the result. @returns whether anything was to be done */
export async function doAct(act: Act, acting: Acting): Promise<boolean> {
  if (act.do === 'undo') return undo(act.back, acting);
  if (act.do === 'restore') return restore(acting);
  const facts = acting.after.get(`user ${act.key}`);
  if (facts === undefined || facts.key !== act.key || facts.deactivated === true) return false;
  await (act.do === 'erase' ? erase(act.key, String(facts.email), acting) : unlink(act.key, acting));
  return true;
}

async function restore({ story, backup, before, after, disown }: Acting): Promise<boolean> {
  if (backup === null) return false;
  const { code, error } = await story.restore(backup);
  if (code !== 0) throw new Violation('exit code', `a restore ends with ${code}: ${error?.message}`);
  disown(before, after);
  return true;
}

/** Values return to their earlier ones (docs/guides/undo.md); those that cannot stay as the run left them. */
async function undo(back: 'undo' | 'unpin', { story, before, after, lastRun, look, disown }: Acting): Promise<boolean> {
  if (lastRun === null) return false;
  const { runs } = await undoRun(story, lastRun);
  const undone = look();
  expectSafe(after, before, undone);
  let isWhole = back === 'undo';
  if (isWhole) for (const run of runs.toReversed()) isWhole = (await undoRun(story, run)).isWhole && isWhole;
  disown(undone, look());
  // Values that an undo could not restore, such as a link to a person who later gets the number again, are unpinned as
  // the report says.
  if (!isWhole) await unpinAll(story);
  return true;
}

/** Unpins everything that was undone, as far as it shows. @returns the number of objects */
export async function unpinAll(story: Story): Promise<number> {
  const { json } = await story.plan();
  const pinned = json.held.filter(({ code }) => code === 'SYNC_UNDONE_PINNED');
  const objects = new Set(pinned.map(({ entity, key }) => `${entity}:${key}`));
  for (const unpin of objects) {
    const { code, error } = await story.undo(undefined, { unpin });
    if (code !== 0) throw new Violation('exit code', `unpinning ${unpin} ends with ${code}: ${error?.message}`);
  }
  return objects.size;
}

/** Undoes a run as often as guards require. @returns the runs that it took, and whether everything was possible */
async function undoRun(
  story: Story,
  run: string,
): Promise<{ readonly runs: readonly string[]; readonly isWhole: boolean }> {
  const runs: string[] = [];
  let isWhole = true;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const { code, json, error } = await story.undo(run, { reason: 'wrong' });
    if (code === 1) throw new Violation('exit code', `an undo of ${run} ends with 1: ${error?.code} ${error?.message}`);
    if (json.done > 0) runs.push(json.run);
    isWhole &&= json.held.every((hold) => hold.code !== 'SYNC_UNDO_IMPOSSIBLE');
    if (json.guards.length === 0) return { runs, isWhole };
    for (const { guard } of json.guards) await story.approve({ guard, reason: 'seen' });
  }
  throw new Violation('quiet', `an undo of ${run} still waits for a word`);
}

/** Changes that one guard releases may trip the next one. */
const MOST_TURNS = 4;

/**
 * No stored data contains the person's address, and the chain verifies (docs/reference/audit.md). Data of another person with the
 * same
 * address, now or earlier, stays.
 */
async function erase(key: string, email: string, { story, after, look }: Acting): Promise<void> {
  const { code, stdout } = await erasePerson(story, key);
  if (code !== 0) throw new Violation('exit code', `an erasure of ${key} ends with ${code}: ${stdout}`);
  const { left, person } = JSON.parse(stdout) as {
    readonly left: readonly string[];
    readonly person: { readonly shared?: readonly string[] };
  };
  const isShared = person.shared?.includes(email) === true;
  for (const file of readdirSync(join(story.folder, 'var'), { recursive: true, withFileTypes: true })) {
    if (isShared || !file.isFile() || left.some((name) => name.endsWith(file.name))) continue;
    if (readFileSync(join(file.parentPath, file.name)).includes(email))
      throw new Violation('safety', `${email} was erased, and is in ${file.name}`);
  }
  if ((await story.verify()).json.ok !== true) throw new Violation('audit', 'the chain is broken after an erasure');
  expectSame(after, look());
}

/** A run does nothing to an unlinked person, creates nobody instead, and lists the person until a link exists. */
async function unlink(key: string, { story, after, look }: Acting): Promise<void> {
  const { id } = (await story.others('GET', `/api/v1/users/find?external_unique_id=${key}`)) as { readonly id: string };
  const { code, stdout } = await unlinkPerson(story, key);
  if (code !== 0) throw new Violation('exit code', `unlinking ${key} ends with ${code}: ${stdout}`);
  const ran = await story.sync({ full: true });
  expectSame(after, look());
  const held = ran.json.held.filter((hold) => hold.entity === 'users' && hold.key === key);
  if (held.length === 0) throw new Violation('safety', `${key} is unlinked, and not listed: ${describeRun(ran.json)}`);
  const linked = await linkPerson(story, key, id);
  if (linked.code !== 0) throw new Violation('exit code', `linking ${key} ends with ${linked.code}: ${linked.stdout}`);
}

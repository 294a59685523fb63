import { SyncError } from '../base/errors.js';
import { isHeldWhole, showGuard } from '../model/held-source.js';
import { asksSameOrAnother, describeAnswers } from '../model/identity-guards.js';
import { foldKey } from '../model/observed.js';
import { isTicked, recordKeyOf } from '../model/plan.js';
import { typedName } from '../model/typed.js';
import { parseSelector } from '../planning/only.js';
import { RUN_PLAN } from '../planning/saved/plan-file.js';
import type { SavedPlan } from '../planning/saved/read-plan.js';
import { plural } from '../report/sections/words.js';

/** Selects changes of a plan: by guard, action or person, or one by one. */
export interface ChangeChoice {
  readonly guard?: string;
  readonly action?: string;
  readonly who?: string;
  /** Ids of changes. Restricts the choice to these ids. */
  readonly changes?: readonly string[];
}

/** A change of a plan. A change to a source has the action `overwrite`. */
export type SavedChange = Omit<SavedPlan['changes'][number], 'action' | 'fields'> & {
  readonly action: string;
  readonly source?: string;
  readonly record?: string;
};

/** Finds guards that hold one unit. Returns all of these guards, and those that match a full name or prefix. */
export function findWhole(
  { guards }: SavedPlan,
  typed: string,
): { readonly waiting: readonly string[]; readonly meant: readonly string[] } {
  const waiting = guards.map(({ guard }) => guard).filter(isHeldWhole);
  return { waiting, meant: waiting.filter((guard) => guard.startsWith(typed)) };
}

/** True if a run created the plan for itself and carried it out. */
export function isMadeByRun(plan: string): boolean {
  return plan.endsWith(RUN_PLAN);
}

/** All changes of a plan, both to the service and to sources. */
export function listSaved({ changes, toSources }: SavedPlan): readonly SavedChange[] {
  return [...changes, ...toSources.map((change) => ({ ...change, action: 'overwrite' }))];
}

/** Changes of a plan that a guard holds. */
export function listWaiting(saved: SavedPlan): readonly SavedChange[] {
  return listSaved(saved).filter(({ withheld }) => withheld?.by === 'guard');
}

/** Changes that meet all criteria of a choice. */
export function chooseAmong(
  all: readonly SavedChange[],
  { guard, action, who, changes }: ChangeChoice,
): readonly SavedChange[] {
  const named = guard === undefined ? null : readNames(guard);
  return all.filter(
    (change) =>
      (named === null || holdersOf(change).some((name) => named.includes(name))) &&
      (action === undefined || `${change.entity}.${change.action}` === action || change.action === action) &&
      (who === undefined || isWho(change, who)) &&
      (changes === undefined || changes.includes(change.id)),
  );
}

/**
 * Chooses waiting changes. Also chooses declined changes if they are named by object or id. Approving an entire guard or
 * action does not revoke another person's decline.
 *
 * @throws SyncError SYNC_CLI_USAGE if nothing is named, SYNC_APPROVAL_NOTHING if no waiting change matches,
 * SYNC_APPROVAL_QUESTION if all matching changes are identity questions
 */
export function chooseWaiting(saved: SavedPlan, choice: ChangeChoice): readonly SavedChange[] {
  const { guard, action, who, changes } = choice;
  const waiting = listWaiting(saved);
  if ([guard, action, who, changes].every((one) => one === undefined)) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'Say what to approve.',
      place: 'approve',
      remedy: `Name it with --guard, --action or --who; pending in ${saved.meta.plan}: ${listGuards(waiting, saved)}.`,
    });
  }
  const isNamed = who !== undefined || changes !== undefined || guard?.startsWith('d') === true;
  const declined = isNamed ? listSaved(saved).filter(({ withheld }) => withheld?.by === 'declined') : [];
  const meant = chooseAmong([...waiting, ...declined], choice);
  const chosen = who !== undefined || changes !== undefined ? meant : meant.filter((change) => !isTicked(change));
  if (chosen.length === 0 && meant.length > 0) throw refuseUnticked(meant, saved);
  if (chosen.length === 0) {
    throw new SyncError('SYNC_APPROVAL_NOTHING', {
      message: 'Nothing in the plan needs that approval.',
      place: saved.file,
      remedy: `Pending in ${saved.meta.plan}: ${listGuards(waiting, saved)}.`,
    });
  }
  const plain = chosen.filter((change) => !asksWhich(change));
  if (plain.length === 0) throw refuseQuestion(chosen, saved);
  return guard === undefined ? plain : refuseHalf(plain, readNames(guard), saved);
}

/** True if the change waits for an answer to an identity question. An approval does not give that answer. */
export function asksWhich(change: SavedChange): boolean {
  return holdersOf(change).some(asksSameOrAnother);
}

function refuseQuestion(asking: readonly SavedChange[], { file }: SavedPlan): SyncError {
  const guards = [...new Set(asking.flatMap(holdersOf).filter(asksSameOrAnother))];
  const answers = guards.map((guard) => describeAnswers(guard, `--guard ${guard}`)).join('; ');
  return new SyncError('SYNC_APPROVAL_QUESTION', {
    message: `${guards.join(', ')} asks whether a record and an object are the same; approving ${plural(asking.length, 'change')} does not answer that.`,
    place: file,
    remedy: `Answer it: ${answers}. For a single record, write its id or \`user:KEY\` instead of --guard.`,
  });
}

/** Rejects an approval of a group with administrators, who must be approved by name. */
function refuseUnticked(meant: readonly SavedChange[], saved: SavedPlan): SyncError {
  const who = meant.map(({ entity, key }) => `--who ${typedName(entity, recordKeyOf(key))}`);
  return new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `${plural(meant.length, 'person', 'people')} would become internationalmanager: approve each by name.`,
    place: saved.file,
    remedy: `\`talent-sync approve ${who[0] ?? ''} --reason "…"\`${who.length > 1 ? `, and likewise ${who.slice(1, 6).join(', ')}` : ''}, or tick them on the page.`,
  });
}

/** The guards that a choice names, separated by commas. */
export function readNames(guard: string): readonly string[] {
  return guard.split(',').map((name) => name.trim());
}

/**
 * Drops changes that another guard also holds, because approving a new title does not approve a new name.
 *
 * @throws SyncError SYNC_APPROVAL_NOTHING if no change is left
 */
export function refuseHalf(
  chosen: readonly SavedChange[],
  named: readonly string[],
  saved: SavedPlan,
): readonly SavedChange[] {
  const whole = chosen.filter((change) => holdersOf(change).every((name) => named.includes(name)));
  if (whole.length > 0 || chosen.length === 0) return whole;
  const all = [...new Set(chosen.flatMap(holdersOf))].sort();
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `${plural(chosen.length, 'change')} of that guard ${chosen.length === 1 ? 'is' : 'are'} also held by another guard.`,
    place: saved.file,
    remedy: `Approve them for all of the guards: --guard ${all.join(',')}.`,
  });
}

export function holdersOf({ withheld }: SavedChange): readonly string[] {
  return withheld?.name.split(' + ') ?? [];
}

/** True if a change is about the named object. */
export function isWho(change: Pick<SavedChange, 'entity' | 'key' | 'label'>, who: string): boolean {
  const { entity, words } = parseSelector(who.includes(':') ? who : `user:${who}`, '--who');
  // Changes that belong to a person are also found by that person's name.
  const names = [change.key, recordKeyOf(change.key), change.label, /<([^>]*)>$/.exec(change.label)?.[1] ?? ''];
  return change.entity === entity && names.some((name) => foldKey(name) === words);
}

/** `users.deactivate (3), users.update (1)` */
export function listGuards(waiting: readonly SavedChange[], { guards }: SavedPlan): string {
  const sources = guards.filter(({ guard }) => isHeldWhole(guard));
  const counts = new Map(sources.map(({ guard, held }) => [showGuard(guard), held]));
  for (const change of waiting) for (const name of holdersOf(change)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts.size === 0 ? 'nothing' : [...counts].map(([name, count]) => `${name} (${count})`).join(', ');
}

import { SyncError } from '../base/errors.js';
import { isHeldWhole, showGuard } from '../model/held-source.js';
import { asksSameOrAnother, describeAnswers } from '../model/identity-guards.js';
import { foldKey } from '../model/observed.js';
import { isTicked, recordKeyOf } from '../model/plan.js';
import { typedName } from '../model/typed.js';
import { parseSelector } from '../planning/only.js';
import { RUN_PLAN, type SavedPlan } from '../planning/saved/plan-file.js';
import { plural } from '../report/sections/words.js';

/** What of a plan is meant: by guard, action or person, or change by change. */
export interface ChangeChoice {
  readonly guard?: string;
  readonly action?: string;
  readonly who?: string;
  /** Ids of changes, in addition to what the others choose. */
  readonly changes?: readonly string[];
}

/** Of a change to a source the action is that something in it is overwritten. */
export type SavedChange = Omit<SavedPlan['changes'][number], 'action' | 'fields'> & {
  readonly action: string;
  readonly source?: string;
  readonly record?: string;
};

/** What waits as a whole in a plan, and what of it a name means: the whole name, or how it begins. */
export function findWhole(
  { guards }: SavedPlan,
  typed: string,
): { readonly waiting: readonly string[]; readonly meant: readonly string[] } {
  const waiting = guards.map(({ guard }) => guard).filter(isHeldWhole);
  return { waiting, meant: waiting.filter((guard) => guard.startsWith(typed)) };
}

/** Whether a run has made the plan for itself, and carried it out. */
export function isMadeByRun(plan: string): boolean {
  return plan.endsWith(RUN_PLAN);
}

/** All changes of a plan, on both sides. */
export function listSaved({ changes, toSources }: SavedPlan): readonly SavedChange[] {
  return [...changes, ...toSources.map((change) => ({ ...change, action: 'overwrite' }))];
}

/** Those of them that a guard holds. */
export function listWaiting(saved: SavedPlan): readonly SavedChange[] {
  return listSaved(saved).filter(({ withheld }) => withheld?.by === 'guard');
}

/** Those of them that a choice means. */
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
 * What waits, and what somebody has declined, as far as it is named by object or id: nobody takes back another person's no
 * by approving a whole guard or action.
 *
 * @throws SyncError SYNC_CLI_USAGE when nothing is named, SYNC_APPROVAL_NOTHING when nothing that waits is meant,
 *   SYNC_APPROVAL_QUESTION where all of it asks who is who
 */
export function chooseWaiting(saved: SavedPlan, choice: ChangeChoice): readonly SavedChange[] {
  const { guard, action, who, changes } = choice;
  const waiting = listWaiting(saved);
  if ([guard, action, who, changes].every((one) => one === undefined)) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'Say what to approve.',
      place: 'approve',
      remedy: `Name it with --guard, --action or --who; waiting in ${saved.meta.plan}: ${listGuards(waiting, saved)}.`,
    });
  }
  const isNamed = who !== undefined || changes !== undefined || guard?.startsWith('d') === true;
  const declined = isNamed ? listSaved(saved).filter(({ withheld }) => withheld?.by === 'declined') : [];
  const meant = chooseAmong([...waiting, ...declined], choice);
  const chosen = who !== undefined || changes !== undefined ? meant : meant.filter((change) => !isTicked(change));
  if (chosen.length === 0 && meant.length > 0) throw refuseUnticked(meant, saved);
  if (chosen.length === 0) {
    throw new SyncError('SYNC_APPROVAL_NOTHING', {
      message: 'Nothing in the plan waits for that approval.',
      place: saved.file,
      remedy: `Waiting in ${saved.meta.plan}: ${listGuards(waiting, saved)}.`,
    });
  }
  const plain = chosen.filter((change) => !asksWhich(change));
  if (plain.length === 0) throw refuseQuestion(chosen, saved);
  return guard === undefined ? plain : refuseHalf(plain, readNames(guard), saved);
}

/** Whether it waits for somebody to say that two are the same, or not: to approve it would say neither. */
export function asksWhich(change: SavedChange): boolean {
  return holdersOf(change).some(asksSameOrAnother);
}

function refuseQuestion(asking: readonly SavedChange[], { file }: SavedPlan): SyncError {
  const guards = [...new Set(asking.flatMap(holdersOf).filter(asksSameOrAnother))];
  const answers = guards.map((guard) => describeAnswers(guard, `--guard ${guard}`)).join('; ');
  return new SyncError('SYNC_APPROVAL_QUESTION', {
    message: `${guards.join(', ')} asks whether a record and an object are the same; to approve ${plural(asking.length, 'change')} says neither.`,
    place: file,
    remedy: `Answer it: ${answers}. For one of them, write its id or \`user:KEY\` in place of --guard.`,
  });
}

/** Nobody becomes an administrator in a crowd. */
function refuseUnticked(meant: readonly SavedChange[], saved: SavedPlan): SyncError {
  const who = meant.map(({ entity, key }) => `--who ${typedName(entity, recordKeyOf(key))}`);
  return new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `${plural(meant.length, 'person', 'people')} would become internationalmanager: each is approved by name.`,
    place: saved.file,
    remedy: `\`talent-sync approve ${who[0] ?? ''} --reason "…"\`${who.length > 1 ? `, and likewise ${who.slice(1, 6).join(', ')}` : ''}, or tick them on the page.`,
  });
}

/** The guards that a choice names, separated by commas. */
export function readNames(guard: string): readonly string[] {
  return guard.split(',').map((name) => name.trim());
}

/** To approve a new title is not to approve a new name: a change that several guards hold waits for all of them. */
export function refuseHalf(
  chosen: readonly SavedChange[],
  named: readonly string[],
  saved: SavedPlan,
): readonly SavedChange[] {
  const whole = chosen.filter((change) => holdersOf(change).every((name) => named.includes(name)));
  if (whole.length > 0 || chosen.length === 0) return whole;
  const all = [...new Set(chosen.flatMap(holdersOf))].sort();
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `${plural(chosen.length, 'change')} of that guard ${chosen.length === 1 ? 'is' : 'are'} held by another one too.`,
    place: saved.file,
    remedy: `Approve them for all of the guards: --guard ${all.join(',')}.`,
  });
}

/** The guards that hold a change. */
export function holdersOf({ withheld }: SavedChange): readonly string[] {
  return withheld?.name.split(' + ') ?? [];
}

/** Whether a change is about the object that somebody named. */
export function isWho(change: Pick<SavedChange, 'entity' | 'key' | 'label'>, who: string): boolean {
  const { entity, words } = parseSelector(who.includes(':') ? who : `user:${who}`, '--who');
  // What is done for the sake of a person is named by that person too.
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

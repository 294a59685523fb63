import { appendEvent } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import { isHeldWhole, STATE_LOST } from '../model/held-source.js';
import { foldKey } from '../model/observed.js';
import { recordKeyOf } from '../model/plan.js';
import { decide, withStores } from '../operations/with-stores.js';
import { readWaitingPlan } from '../planning/holds/record-waiting.js';
import { parseSelector } from '../planning/only.js';
import { findPlanFile, readPlan, type SavedPlan } from '../planning/saved/plan-file.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import { newId } from '../planning/saved/summary.js';
import { formatMinute, plural } from '../report/sections/words.js';
import { joinLines, worded } from '../report/writers/style.js';
import type { Approval } from '../store/state/history-store.js';
import { type CommandContext, type CommandResult, type CommonOptions, nameOperator, readReason } from './context.js';

export interface ApproveFlags extends CommonOptions {
  readonly plan?: string;
  readonly guard?: string;
  readonly action?: string;
  readonly who?: string;
  readonly reason?: string;
  /** Milliseconds it holds; `plan.expires` without it. */
  readonly expires?: number;
  readonly list?: boolean;
  readonly revoke?: string;
}

/** Of a change to a source the action is that something in it is overwritten. */
type SavedChange = Omit<SavedPlan['changes'][number], 'action'> & { readonly action: string; readonly source?: string };

/** `approve [PLAN]`: lets what a guard holds pass, by guard, action or person, until the approval lapses. */
export async function runApprove(context: CommandContext, flags: ApproveFlags): Promise<CommandResult> {
  if (flags.list === true) return listApprovals(context);
  const reason = readReason(flags);
  if (flags.revoke !== undefined) return revokeApproval(context, flags.revoke, reason);
  const { config, clock } = context;
  requireReason(context, reason);
  const { saved, approved } = await findApproved(context, flags);
  const [id, at, who] = [newId('a', clock), isoNow(clock), nameOperator()];
  const expires = new Date(clock.now() + (flags.expires ?? config.plan.expiresMs)).toISOString();
  const { plan } = saved.meta;
  const { guards } = approved;
  const known = await withStores(context, ({ history }) => history.approvalsAt(isoNow(clock)));
  const already = approved.given.flatMap(({ changeId }) => known.get(changeId) ?? []);
  // A named time holds, also where somebody approved the same before.
  const given =
    flags.expires === undefined ? approved.given.filter(({ changeId }) => !known.has(changeId)) : approved.given;
  const [first] = already;
  if (given.length === 0 && first !== undefined) return describeAlready(saved, first, already.length, guards);
  const changes = given.map(({ changeId }) => changeId);
  await decide(context, ({ history, audit }) => {
    history.approve(given.map((one) => ({ id, ...one, who, reason, at, expiresAt: expires })));
    appendEvent(audit, { kind: 'approval given', at, by: who, approval: id, plan, guards, changes, reason, expires });
  });
  const causes = saved.guards.filter((trip) => guards.includes(trip.guard));
  return {
    json: {
      approval: id,
      plan,
      approved: given.length,
      already: already.length,
      guards,
      causes: causes.map(({ guard, cause, detail, preview = null }) => ({ guard, cause, detail, preview })),
      who,
      reason,
      expires,
    },
    text: joinLines([
      `Approved ${approved.isWhole ? approved.what : `${plural(given.length, 'change')} of`} plan ${plan} (${guards.join(', ')}) as ${id}, until ${formatMinute(expires)} (\`talent-sync approve --revoke ${id}\` takes it back).`,
      ...(first === undefined
        ? []
        : [`  ${already.length} of them were approved before, as ${first.id} by ${first.who}.`]),
      ...causes.map(({ guard, cause, detail }) => `  ${guard}: ${cause} — ${detail}`),
      `Now: ${approved.isWhole ? '' : `talent-sync apply ${plan}, or `}${nameRun(saved)}`,
    ]),
  };
}

/** In a script nobody remembers why; on a terminal the person who types it is there to be asked. */
function requireReason({ console }: CommandContext, reason: string): void {
  const isTyped = console.stdout.isTTY === true || console.stderr.isTTY === true;
  if (isTyped || reason.trim() !== '') return;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: 'Say why it may pass: this is not a terminal.',
    place: '--reason',
    remedy: 'Write `--reason "site closed, ticket 4711"`; it is kept in the audit.',
  });
}

/** The same was approved before, and holds still: nothing is written twice. */
function describeAlready(
  { meta: { plan } }: SavedPlan,
  { id, who, reason, expiresAt }: Approval,
  count: number,
  guards: readonly string[],
): CommandResult {
  return {
    json: { approval: id, plan, approved: 0, already: count, guards, causes: [], who, reason, expires: expiresAt },
    text: joinLines([
      `Approved already: ${plural(count, 'change')} of plan ${plan}, as ${id} by ${who} until ${formatMinute(expiresAt)}: ${reason || 'no reason given'}`,
      'Nothing was changed; `--expires` gives it another time.',
    ]),
  };
}

/**
 * Without a plan the newest one is meant; where that says nothing of it, as the plan of one object or of an undo, the newest
 * that looked at everything.
 */
async function findApproved(
  context: CommandContext,
  flags: ApproveFlags,
): Promise<{ readonly saved: SavedPlan; readonly approved: Approved }> {
  const folder = plansFolder(context.config);
  const read = (file: string): Promise<SavedPlan> => withStores(context, (stores) => readPlan(file, stores.planKey()));
  const saved = await read(findPlanFile(folder, flags.plan ?? null, 'all'));
  try {
    return { saved, approved: chooseApproved(saved, flags) };
  } catch (error) {
    const whole = await withStores(context, readWaitingPlan);
    const isOther = flags.plan === undefined && whole !== null && whole !== saved.meta.plan;
    if (!(error instanceof SyncError && error.code === 'SYNC_APPROVAL_NOTHING') || !isOther) throw error;
    const other = await read(findPlanFile(folder, whole, 'all'));
    return { saved: other, approved: chooseApproved(other, flags) };
  }
}

interface Approved {
  readonly given: readonly { readonly changeId: string; readonly guard: string }[];
  /** Names of the guards that hold it, or of the one thing that waits as a whole. */
  readonly guards: readonly string[];
  /** `a delivery of`, before the name of the plan; blank where changes are counted. */
  readonly what: string;
  /** A delivery, or a lost state, and no changes one by one. */
  readonly isWhole: boolean;
}

function chooseApproved(saved: SavedPlan, flags: ApproveFlags): Approved {
  if (flags.guard !== undefined && isHeldWhole(flags.guard)) {
    const hold = findHeldWhole(saved, flags.guard);
    const what = hold === STATE_LOST ? 'to go on without the lost state, after' : 'a delivery of';
    const given = [{ changeId: hold, guard: hold }];
    return { given, guards: [hold], what, isWhole: true };
  }
  const chosen = chooseChanges(saved, flags);
  return {
    given: chosen.map((change) => ({ changeId: change.id, guard: change.withheld?.name ?? '' })),
    guards: [...new Set(chosen.flatMap(holdersOf))],
    what: '',
    isWhole: false,
  };
}

/** What derives the approved changes again. */
function nameRun({ meta: { undoes } }: SavedPlan): string {
  return undoes === undefined ? 'talent-sync sync' : `talent-sync undo ${undoes.run}`;
}

/** `approve --list`: what is in force, oldest first; what was carried out or has lapsed is not. */
function listApprovals(context: CommandContext): Promise<CommandResult> {
  return withStores(context, ({ history }) => {
    const byId = new Map<string, Approval[]>();
    for (const approval of history.approvalsAt(isoNow(context.clock)).values())
      byId.set(approval.id, [...(byId.get(approval.id) ?? []), approval]);
    const approvals = [...byId]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([id, [first, ...rest]]) => {
        if (first === undefined) return [];
        const { who, reason, at, expiresAt } = first;
        const guards = [...new Set([first, ...rest].flatMap(({ guard }) => guard.split(' + ')))].sort();
        return [{ id, changes: 1 + rest.length, guards, who, reason, at, expires: expiresAt }];
      });
    const lines = approvals.map(
      ({ id, changes, guards, who, reason, expires }) =>
        `${id}  ${plural(changes, 'change')} of ${guards.join(', ')}, until ${formatMinute(expires)}, by ${who}: ${reason || 'no reason given'}`,
    );
    return {
      json: { approvals },
      text: lines.length === 0 ? 'No approval is in force.' : joinLines(lines),
    };
  });
}

/** `approve --revoke ID`: its changes wait again from the next run on. Told in the audit, with the operator and the reason. */
async function revokeApproval(context: CommandContext, id: string, reason: string): Promise<CommandResult> {
  const [at, by] = [isoNow(context.clock), nameOperator()];
  let changes = 0;
  await decide(context, ({ history, audit }) => {
    const revoked = history.revokeApproval(id, at);
    changes = revoked.length;
    if (changes > 0) appendEvent(audit, { kind: 'approval revoked', at, by, approval: id, changes: revoked, reason });
  });
  if (changes === 0) {
    throw new SyncError('SYNC_APPROVAL_NOTHING', {
      message: `No approval "${id}" is there any more: it was carried out, it lapsed, or it never was.`,
      place: '--revoke',
      remedy: '`talent-sync approve --list` shows what is in force.',
    });
  }
  return {
    json: { revoked: id, changes, who: by, reason },
    text: worded`Revoked ${id}: ${plural(changes, 'change')} wait${changes === 1 ? 's' : ''} again from the next run on.`,
  };
}

/** A delivery, or a state that was lost: named by the plan that could not use it. */
function findHeldWhole(saved: SavedPlan, hold: string): string {
  const waiting = saved.guards.map(({ guard }) => guard).filter((guard) => isHeldWhole(guard));
  if (waiting.includes(hold)) return hold;
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `Nothing waits as ${hold}.`,
    place: saved.file,
    remedy: `Waiting in ${saved.meta.plan}: ${waiting.join(', ') || 'nothing of that kind'}.`,
  });
}

function chooseChanges(saved: SavedPlan, { guard, action, who }: ApproveFlags): readonly SavedChange[] {
  const toSources = saved.toSources.map((change) => ({ ...change, action: 'overwrite' }));
  const waiting = [...saved.changes, ...toSources].filter(({ withheld }) => withheld?.by === 'guard');
  if (guard === undefined && action === undefined && who === undefined) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'Say what to approve.',
      place: 'approve',
      remedy: `Name it with --guard, --action or --who; waiting in ${saved.meta.plan}: ${listGuards(waiting, saved)}.`,
    });
  }
  const named = guard?.split(',').map((name) => name.trim());
  const chosen = waiting.filter(
    (change) =>
      (named === undefined || holdersOf(change).some((name) => named.includes(name))) &&
      (action === undefined || `${change.entity}.${change.action}` === action || change.action === action) &&
      (who === undefined || isWho(change, who)),
  );
  if (chosen.length === 0) {
    throw new SyncError('SYNC_APPROVAL_NOTHING', {
      message: 'Nothing in the plan waits for that approval.',
      place: saved.file,
      remedy: `Waiting in ${saved.meta.plan}: ${listGuards(waiting, saved)}.`,
    });
  }
  return named === undefined ? chosen : refuseHalf(chosen, named, saved);
}

/** To approve a new title is not to approve a new name: a change that several guards hold waits for all of them. */
function refuseHalf(
  chosen: readonly SavedChange[],
  named: readonly string[],
  saved: SavedPlan,
): readonly SavedChange[] {
  const whole = chosen.filter((change) => holdersOf(change).every((name) => named.includes(name)));
  if (whole.length > 0) return whole;
  const all = [...new Set(chosen.flatMap(holdersOf))].sort();
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: `${plural(chosen.length, 'change')} of that guard ${chosen.length === 1 ? 'is' : 'are'} held by another one too.`,
    place: saved.file,
    remedy: `Approve them for all of the guards: --guard ${all.join(',')}.`,
  });
}

function holdersOf({ withheld }: SavedChange): readonly string[] {
  return withheld?.name.split(' + ') ?? [];
}

function isWho(change: SavedChange, who: string): boolean {
  const { entity, words } = parseSelector(who.includes(':') ? who : `user:${who}`, '--who');
  // What is done for the sake of a person is named by that person too.
  const names = [change.key, recordKeyOf(change.key), change.label, /<([^>]*)>$/.exec(change.label)?.[1] ?? ''];
  return change.entity === entity && names.some((name) => foldKey(name) === words);
}

function listGuards(waiting: readonly SavedChange[], { guards }: SavedPlan): string {
  const sources = guards.filter(({ guard }) => isHeldWhole(guard));
  const counts = new Map(sources.map(({ guard, held }) => [guard, held]));
  for (const change of waiting) for (const name of holdersOf(change)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts.size === 0 ? 'nothing' : [...counts].map(([name, count]) => `${name} (${count})`).join(', ');
}

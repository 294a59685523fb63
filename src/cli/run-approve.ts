import { appendEvent } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import { isHeldWhole } from '../model/held-source.js';
import { STATE_LOST } from '../model/lost-state.js';
import { foldKey } from '../model/observed.js';
import { recordKeyOf } from '../model/plan.js';
import { parseSelector } from '../planning/only.js';
import { findPlanFile, readPlan, type SavedPlan } from '../planning/saved/plan-file.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import { newId } from '../planning/saved/summary.js';
import { formatMinute, plural } from '../report/sections/words.js';
import { joinLines, worded } from '../report/writers/style.js';
import { openStores } from '../store/open-stores.js';
import type { Approval } from '../store/state/history-store.js';
import {
  type CommandContext,
  type CommandResult,
  type CommonOptions,
  type Console,
  nameOperator,
  readReason,
  runCommand,
} from './context.js';

export interface ApproveFlags extends CommonOptions {
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
export async function runApprove(console: Console, plan: string | undefined, flags: ApproveFlags): Promise<void> {
  await runCommand(console, flags, async (context) => {
    if (flags.list === true) return listApprovals(context);
    if (flags.revoke !== undefined) return revokeApproval(context, flags.revoke, readReason(flags));
    const { config, clock } = context;
    const file = findPlanFile(plansFolder(config), plan ?? null, 'all');
    const stores = openStores(config.state, { lockedAt: null }, config.audit);
    try {
      const saved = await readPlan(file, stores.planKey());
      const delivery = flags.guard !== undefined && isHeldWhole(flags.guard) ? findHeldWhole(saved, flags.guard) : null;
      const chosen = delivery === null ? chooseChanges(saved, flags) : [];
      const at = isoNow(clock);
      const id = newId('a', clock);
      const expiresAt = new Date(clock.now() + (flags.expires ?? config.plan.expiresMs)).toISOString();
      const who = nameOperator();
      const reason = readReason(flags);
      const kinds = delivery === null ? [...new Set(chosen.map(nameKind))] : [delivery];
      const holders = new Set(delivery === null ? chosen.flatMap(holdersOf) : [delivery]);
      const causes = saved.guards.filter((trip) => holders.has(trip.guard));
      const given =
        delivery === null
          ? chosen.map((change) => ({ changeId: change.id, guard: change.withheld?.name ?? '' }))
          : [{ changeId: delivery, guard: delivery }];
      stores.state.transaction(() => {
        stores.history.approve(given.map((one) => ({ id, ...one, who, reason, at, expiresAt })));
        appendEvent(stores.audit, {
          kind: 'approval given',
          at,
          by: who,
          approval: id,
          plan: saved.meta.plan,
          guards: kinds,
          changes: given.map(({ changeId }) => changeId),
          reason,
          expires: expiresAt,
        });
      });
      return {
        json: {
          approval: id,
          plan: saved.meta.plan,
          approved: given.length,
          guards: kinds,
          causes: causes.map(({ guard, cause, detail, preview }) => ({
            guard,
            cause,
            detail,
            preview: preview ?? null,
          })),
          who,
          reason,
          expires: expiresAt,
        },
        text: joinLines([
          `Approved ${delivery === null ? `${plural(chosen.length, 'change')} of` : delivery === STATE_LOST ? 'to go on without the lost state, after' : 'a delivery of'} plan ${saved.meta.plan} (${kinds.join(', ')}) as ${id}, until ${formatMinute(expiresAt)} (\`talent-sync approve --revoke ${id}\` takes it back).`,
          ...causes.map(({ guard, cause, detail }) => `  ${guard}: ${cause} — ${detail}`),
          `Now: ${delivery === null ? `talent-sync apply ${saved.meta.plan}, or ` : ''}${nameRun(saved)}`,
        ]),
        exitCode: 0,
      };
    } finally {
      stores.close();
    }
  });
}

function nameKind({ source, entity, action }: SavedChange): string {
  return source === undefined ? `${entity}.${action}` : `sources.${source}.${action}`;
}

/** What derives the approved changes again. */
function nameRun({ meta: { undoes } }: SavedPlan): string {
  return undoes === undefined ? 'talent-sync sync' : `talent-sync undo ${undoes.run}`;
}

/** `approve --list`: what is in force, oldest first; what was carried out or has lapsed is not. */
function listApprovals({ config, clock }: CommandContext): CommandResult {
  const stores = openStores(config.state);
  try {
    const byId = new Map<string, Approval[]>();
    for (const approval of stores.history.approvalsAt(isoNow(clock)).values())
      byId.set(approval.id, [...(byId.get(approval.id) ?? []), approval]);
    const approvals = [...byId]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([id, [first, ...rest]]) => {
        if (first === undefined) return [];
        const { who, reason, at, expiresAt } = first;
        const guards = [...new Set([first, ...rest].map(({ guard }) => guard))].sort();
        return [{ id, changes: 1 + rest.length, guards, who, reason, at, expires: expiresAt }];
      });
    const lines = approvals.map(
      ({ id, changes, guards, who, reason, expires }) =>
        `${id}  ${plural(changes, 'change')} of ${guards.join(', ')}, until ${formatMinute(expires)}, by ${who}: ${reason || 'no reason given'}`,
    );
    return {
      json: { approvals },
      text: lines.length === 0 ? 'No approval is in force.' : joinLines(lines),
      exitCode: 0,
    };
  } finally {
    stores.close();
  }
}

/** `approve --revoke ID`: its changes wait again from the next run on. Told in the audit, with the operator and the reason. */
function revokeApproval({ config, clock }: CommandContext, id: string, reason: string): CommandResult {
  const stores = openStores(config.state, { lockedAt: null }, config.audit);
  try {
    const [at, by] = [isoNow(clock), nameOperator()];
    let revoked = 0;
    stores.state.transaction(() => {
      const changes = stores.history.revokeApproval(id, at);
      revoked = changes.length;
      if (revoked > 0) {
        appendEvent(stores.audit, { kind: 'approval revoked', at, by, approval: id, changes, reason });
      }
    });
    if (revoked === 0) {
      throw new SyncError('SYNC_APPROVAL_NOTHING', {
        message: `No approval "${id}" is there any more: it was carried out, it lapsed, or it never was.`,
        place: '--revoke',
        remedy: '`talent-sync approve --list` shows what is in force.',
      });
    }
    return {
      json: { revoked: id, changes: revoked, who: by, reason },
      text: worded`Revoked ${id}: ${plural(revoked, 'change')} wait${revoked === 1 ? 's' : ''} again from the next run on.`,
      exitCode: 0,
    };
  } finally {
    stores.close();
  }
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

import { appendEvent } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { auditPolicy } from '../config/audit-policy.js';
import { SyncError } from '../errors.js';
import { foldKey } from '../model/observed.js';
import { parseSelector } from '../planning/only.js';
import { findPlanFile, readPlan, type SavedPlan } from '../planning/plan-file.js';
import { plansFolder } from '../planning/save-plan.js';
import { newId } from '../planning/summary.js';
import { plural } from '../report/style.js';
import { openStores } from '../store/open-stores.js';
import { type CommonOptions, type Console, nameOperator, runCommand } from './context.js';

export interface ApproveFlags extends CommonOptions {
  readonly guard?: string;
  readonly action?: string;
  readonly who?: string;
  readonly reason?: string;
}

type SavedChange = SavedPlan['changes'][number];

/** `approve [PLAN]`: lets what a guard holds pass, by guard, action or person, until the approval lapses. */
export async function runApprove(console: Console, plan: string | undefined, flags: ApproveFlags): Promise<void> {
  await runCommand(console, flags, async ({ config, clock }) => {
    const saved = await readPlan(findPlanFile(plansFolder(config), plan ?? null, 'all'));
    const chosen = chooseChanges(saved, flags);
    const at = isoNow(clock);
    const id = newId('a', clock);
    const expiresAt = new Date(clock.now() + config.plan.expiresMs).toISOString();
    const stores = openStores(config.state, { lockedAt: null }, auditPolicy(config));
    try {
      const who = nameOperator();
      const reason = flags.reason ?? '';
      const kinds = [...new Set(chosen.map(({ entity, action }) => `${entity}.${action}`))];
      const given = chosen.map((change) => ({ changeId: change.id, guard: change.withheld?.name ?? '' }));
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
          approved: chosen.length,
          guards: kinds,
          who,
          reason,
          expires: expiresAt,
        },
        text: `Approved ${plural(chosen.length, 'change')} of plan ${saved.meta.plan} (${kinds.join(', ')}) as ${id}, until ${expiresAt}.\nNow: talent-sync apply ${saved.meta.plan}, or ${nameRun(saved)}`,
        exitCode: 0,
      };
    } finally {
      stores.close();
    }
  });
}

/** What derives the approved changes again. */
function nameRun({ meta: { undoes } }: SavedPlan): string {
  return undoes === undefined ? 'talent-sync sync' : `talent-sync undo ${undoes.run}`;
}

function chooseChanges(saved: SavedPlan, { guard, action, who }: ApproveFlags): readonly SavedChange[] {
  const waiting = saved.changes.filter(({ withheld }) => withheld?.by === 'guard');
  if (guard === undefined && action === undefined && who === undefined) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'Say what to approve.',
      place: 'approve',
      remedy: `Name it with --guard, --action or --who; waiting in ${saved.meta.plan}: ${listGuards(waiting)}.`,
    });
  }
  const chosen = waiting.filter(
    (change) =>
      (guard === undefined || change.withheld?.name === guard) &&
      (action === undefined || `${change.entity}.${change.action}` === action || change.action === action) &&
      (who === undefined || isWho(change, who)),
  );
  if (chosen.length > 0) return chosen;
  throw new SyncError('SYNC_APPROVAL_NOTHING', {
    message: 'Nothing in the plan waits for that approval.',
    place: saved.file,
    remedy: `Waiting in ${saved.meta.plan}: ${listGuards(waiting)}.`,
  });
}

function isWho(change: SavedChange, who: string): boolean {
  const { entity, words } = parseSelector(who.includes(':') ? who : `user:${who}`, '--who');
  const names = [change.key, change.label, /<([^>]*)>$/.exec(change.label)?.[1] ?? ''];
  return change.entity === entity && names.some((name) => foldKey(name) === words);
}

function listGuards(waiting: readonly SavedChange[]): string {
  const counts = new Map<string, number>();
  for (const { withheld } of waiting) if (withheld) counts.set(withheld.name, (counts.get(withheld.name) ?? 0) + 1);
  return counts.size === 0 ? 'nothing' : [...counts].map(([name, count]) => `${name} (${count})`).join(', ');
}

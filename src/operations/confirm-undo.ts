import { SyncError } from '../base/errors.js';
import { EVERY_LINE } from '../store/audit/log-filter.js';
import { readLogInTurns } from '../store/audit/read-log.js';
import type { Stores } from '../store/open-stores.js';
import { confirmByTwo } from './confirm-by-two.js';
import { openSavedPlan } from './open-saved-plan.js';
import type { TenantOperation } from './operation.js';
import { decide, withStores } from './with-stores.js';

/** A request to carry out the plan of an undo. */
export interface UndoWord {
  readonly plan: string;
  readonly reason: string;
}

export interface WeighedUndo {
  readonly plan: string;
  /** The run to undo. */
  readonly run: string;
  /** True if the undo may be carried out; false while it waits for a second person. */
  readonly confirmed: boolean;
}

/** The guard under which these confirmations are stored. */
const GUARD = 'undo';

export function undoSubject(plan: string): string {
  return `undo:${plan}`;
}

/**
 * Confirms an undo. If two people approved changes of the run, the undo also needs two people. Otherwise one person is
 * enough.
 *
 * @throws SyncError SYNC_PLAN_MISSING, SYNC_PLAN_EXPIRED, SYNC_APPROVAL_SECOND, SYNC_APPROVAL_UNPROVEN
 */
export const CONFIRM_UNDO: TenantOperation<UndoWord, WeighedUndo> = {
  name: 'confirmUndo',
  needs: 'a word',
  async perform(context, { plan, reason }) {
    const { config, clock } = context;
    const { run, takesTwo } = await withStores(context, async (stores) => {
      const { meta, file } = await openSavedPlan({ config, clock, stores }, plan);
      if (meta.undoes === undefined) throw undoesNothing(plan, file);
      const { run: undone } = meta.undoes;
      return { run: undone, takesTwo: config.approvals.fourEyes && (await tookTwo(stores, undone)) };
    });
    let confirmed = !takesTwo;
    if (takesTwo)
      await decide(context, (stores) => {
        confirmed = confirmByTwo(stores, context, { subject: undoSubject(plan), guard: GUARD, plan, reason });
      });
    return { plan, run, confirmed };
  },
};

/** The longest time between an approval and its changes. */
const OLDEST_APPROVAL_MS = 90 * 86_400_000;

/** True if two people approved a change of the run. */
async function tookTwo({ audit, history }: Pick<Stores, 'audit' | 'history'>, run: string): Promise<boolean> {
  const { startedAt, endedAt } = history.findRun(run) ?? { startedAt: '', endedAt: null };
  const from = startedAt === '' ? null : new Date(Date.parse(startedAt) - OLDEST_APPROVAL_MS).toISOString();
  const ofTwo = new Set<string>();
  for await (const line of readLogInTurns(audit, { ...EVERY_LINE, from })) {
    if (line.kind === 'approval given' && line.confirms !== undefined) ofTwo.add(line.approval);
    // `a1 by kim@example.com and jane@example.com: ticket 4711`
    if (line.kind === 'change' && line.run === run && ofTwo.has(line.approval?.split(' ')[0] ?? '')) return true;
    if (endedAt !== null && 'at' in line && line.at > endedAt) return false;
  }
  return false;
}

function undoesNothing(plan: string, file: string): SyncError {
  return new SyncError('SYNC_PLAN_MISSING', {
    message: `The plan ${plan} does not undo a run.`,
    place: file,
    remedy: 'Request a plan on the page of the run that you want to undo.',
  });
}

import { SyncError } from '../base/errors.js';
import { EVERY_LINE } from '../store/audit/log-filter.js';
import { readLogInTurns } from '../store/audit/read-log.js';
import type { Stores } from '../store/open-stores.js';
import { confirmByTwo } from './confirm-by-two.js';
import { openSavedPlan } from './open-saved-plan.js';
import type { TenantOperation } from './operation.js';
import { decide, withStores } from './with-stores.js';

/** Somebody wants a plan carried out that takes a run back. */
export interface UndoWord {
  readonly plan: string;
  readonly reason: string;
}

export interface WeighedUndo {
  readonly plan: string;
  /** The run to undo. */
  readonly run: string;
  /** It may be carried out; false: it waits for a second person. */
  readonly confirmed: boolean;
}

/** The name of such a word among approvals. */
const GUARD = 'undo';

export function undoSubject(plan: string): string {
  return `undo:${plan}`;
}

/**
 * One person may undo a run, unless two had let its changes pass: then it takes two.
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

/** No approval holds for longer before its changes are made. */
const OLDEST_APPROVAL_MS = 90 * 86_400_000;

/** Two people had approved something that a run did. */
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
    message: `The plan ${plan} takes no run back.`,
    place: file,
    remedy: 'Ask for a plan on the page of the run that is to be undone.',
  });
}

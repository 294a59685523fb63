import type { Explanation } from '../explain/explain.js';
import type { LinkedByHand } from '../link-by-hand.js';
import type { ExplainQuestion } from './explain-one.js';
import type { TenantOperation } from './operation.js';
import type { LockContext } from './with-locked-stores.js';
import type { DecisionContext } from './with-stores.js';

/* What takes the run lock. Loaded when it is performed: a command that asks a daemon elsewhere needs the names alone. */

export const EXPLAIN: TenantOperation<ExplainQuestion, Explanation> = {
  name: 'explain',
  perform: async (context, question) => (await import('./explain-one.js')).explainOne(toLocking(context), question),
};

export const RELINK: TenantOperation<{ readonly hold: string; readonly reason: string }, LinkedByHand> = {
  name: 'relinkHold',
  perform: async (context, { hold: id, reason }) =>
    (await import('./relink-held.js')).relinkHeld(toLocking(context), { id, reason }),
};

/** Beside the state, commands take the lock by themselves, and show how far they are. */
function toLocking(context: DecisionContext): DecisionContext & LockContext {
  if ('holder' in context && 'logger' in context) return context as DecisionContext & LockContext;
  throw new Error('performed without what takes the run lock');
}

import type { Explanation } from '../report/explain/explain.js';
import type { GivenAnswer, IdentityOrder } from './answer-identity.js';
import type { ErasurePreview, ErasureWord, GivenErasure } from './erase-person.js';
import type { ExplainQuestion } from './explain-one.js';
import type { TenantOperation } from './operation.js';
import type { LockContext } from './with-locked-stores.js';
import type { DecisionContext } from './with-stores.js';

/*
 * Operations that take the run lock. These operations are loaded when performed, because a command that asks a remote
 * daemon needs only their names.
 */

export const EXPLAIN: TenantOperation<ExplainQuestion, Explanation> = {
  name: 'explain',
  needs: 'a turn',
  perform: async (context, question) => (await import('./explain-one.js')).explainOne(toLocking(context), question),
};

/** Answers whether records and the objects that they are held for are the same. */
export const ANSWER: TenantOperation<IdentityOrder, GivenAnswer> = {
  name: 'answerIdentity',
  needs: 'a turn',
  perform: async (context, order) => (await import('./answer-identity.js')).answerIdentity(toLocking(context), order),
};

/** Shows what would be erased about a person. */
export const PREVIEW_ERASURE: TenantOperation<Pick<ErasureWord, 'person'>, ErasurePreview> = {
  name: 'previewErasure',
  needs: 'a turn',
  perform: async (context, asked) => (await import('./erase-person.js')).previewErasure(toLocking(context), asked),
};

/** Erases a person from all stored data. */
export const ERASE: TenantOperation<ErasureWord, GivenErasure> = {
  name: 'erasePerson',
  needs: 'a turn',
  erases: true,
  perform: async (context, word) => (await import('./erase-person.js')).erasePerson(toLocking(context), word),
};

/** Commands with a local state take the lock themselves, and show their progress. */
function toLocking(context: DecisionContext): DecisionContext & LockContext {
  if ('holder' in context && 'logger' in context) return context as DecisionContext & LockContext;
  throw new Error('performed without what takes the run lock');
}

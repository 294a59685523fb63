import type { DecisionContext } from './with-stores.js';

/**
 * A question or decision of operators about a tenant: from a command next to its state, a command elsewhere, or the operator
 * pages. Its document is what the command prints with `--json`.
 */
export interface TenantOperation<Input, Document> {
  /** See {@link Needs}. */
  readonly needs: Needs;
  /** The name that generated clients use. */
  readonly name: string;
  /** Time that its holder may take to respond, if longer than for others. */
  readonly answerMs?: number;
  /** It erases a person: no pushes are accepted meanwhile, and the order is not stored. */
  readonly erases?: true;
  /** @throws SyncError */
  perform(context: DecisionContext, input: Input): Promise<Document>;
}

/**
 * The needs of an operation if the state is in PostgreSQL and another machine may hold it:
 *
 * - `a copy` to look at: every daemon has one
 * - `a word` to its holder, also during a run: it is checked with a copy first
 * - `the mirror` of its holder, also during a run
 * - `a turn` of its own, between two runs
 */
export type Needs = 'a copy' | 'a word' | 'the mirror' | 'a turn';

/** The input of an operation that needs nothing but the tenant. */
export type Nothing = Readonly<Record<string, never>>;

import type { DecisionContext } from './with-stores.js';

/**
 * One thing that operators ask or decide about a tenant: by a command beside its state, by a command elsewhere, or over the
 * pages. Its document is what the command prints with `--json`.
 */
export interface TenantOperation<Input, Document> {
  /** As {@link Needs} describes it. */
  readonly needs: Needs;
  /** As clients that are generated from the interface call it. */
  readonly name: string;
  /** How long its holder may take to answer, if that is longer than for others. */
  readonly answerMs?: number;
  /** It erases a person: nobody pushes meanwhile, and its order is not kept. */
  readonly erases?: true;
  /** @throws SyncError */
  perform(context: DecisionContext, input: Input): Promise<Document>;
}

/**
 * The needs of an operation if the state is in PostgreSQL, and another machine may work with it:
 *
 *     a copy      to look at: any daemon has one
 *     a word      to its holder, also in the middle of a run: it is checked with a copy before
 *     the mirror  of its holder, also in the middle of a run
 *     a turn      of its own, between two runs
 */
export type Needs = 'a copy' | 'a word' | 'the mirror' | 'a turn';

/** An operation that needs nothing but the tenant. */
export type Nothing = Readonly<Record<string, never>>;

import type { DecisionContext } from './with-stores.js';

/**
 * A question or decision of operators about a tenant. An operation comes from a command with a local state, a remote
 * command, or the operator pages. The document of an operation is the one that the command prints with `--json`.
 */
export interface TenantOperation<Input, Document> {
  /** See {@link Needs}. */
  readonly needs: Needs;
  /** The name that generated clients use. */
  readonly name: string;
  /** Time that the holder may take to respond, if longer than usual. */
  readonly answerMs?: number;
  /** True if the operation erases a person. Meanwhile no pushes are accepted, and the order is not stored. */
  readonly erases?: true;
  /** @throws SyncError */
  perform(context: DecisionContext, input: Input): Promise<Document>;
}

/**
 * The needs of an operation if the state is in PostgreSQL and another machine may hold it:
 *
 * - `a copy`: a copy of the state to look at, which every daemon has
 * - `a word`: the state of the holder, even during a run; the operation is checked with a copy first
 * - `the mirror`: the mirror of the holder, even during a run
 * - `a turn`: its own turn between two runs
 */
export type Needs = 'a copy' | 'a word' | 'the mirror' | 'a turn';

/** The input of an operation that needs nothing but the tenant. */
export type Nothing = Readonly<Record<string, never>>;

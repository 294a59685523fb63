import type { DecisionContext } from './with-stores.js';

/**
 * One thing that operators ask or decide about a tenant: by a command beside its state, by a command elsewhere, or over the
 * pages. Its document is what the command prints with `--json`.
 */
export interface TenantOperation<Input, Document> {
  /** As clients that are generated from the interface call it. */
  readonly name: string;
  /** @throws SyncError */
  perform(context: DecisionContext, input: Input): Promise<Document>;
}

/** An operation that needs nothing but the tenant. */
export type Nothing = Readonly<Record<string, never>>;

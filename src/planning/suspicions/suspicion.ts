import type { Config } from '../../config/config.js';
import type { Entity } from '../../model/entity.js';
import type { ReadEvidence } from '../../model/source.js';
import type { Stores } from '../../store/open-stores.js';

/** The input for judging one read of a stream of an entity. */
export interface SuspectRead {
  readonly entity: Entity;
  /** Source or stream: `hr`, `crm.deals`. */
  readonly source: string;
  readonly evidence: ReadEvidence;
  readonly config: Config;
  readonly stores: Stores;
  /** Columns that expressions of the entity read: `hr.title`. */
  readonly reads: ReadonlySet<string>;
}

/** Why a source is not used before somebody has looked at it. */
export interface Doubt {
  /** The number that would have been allowed. */
  readonly limit: number;
  readonly found: number;
  readonly cause: string;
  /** The cause with its numbers, for people. */
  readonly detail: string;
  /** Where to look, in one sentence. */
  readonly remedy: string;
  /** SHA-256 (hex) of the suspicious part, if that is less than the content: an approval covers the same in another content too. */
  readonly digest?: string;
  /** If there are several explanations: each with the command to type. */
  readonly readings?: (guard: string) => string;
}

/** A reason not to rely on a source at all. */
export interface Suspicion {
  /** The third part of its name: `sources.hr.another_tenant:3f2a9c…`. */
  readonly name: string;
  /** `staged`: judges the rows, before anything is derived. `derived`: judges the changes that they would make. */
  readonly when: 'staged' | 'derived';
  /** Set if it also judges streams that only enrich. */
  readonly isOfAll?: true;
  /** Runs in steps, because it may count everybody. */
  readonly judge: (read: SuspectRead) => Generator<void, Doubt | null>;
}

import type { Config } from '../../config/config.js';
import type { Entity } from '../../model/entity.js';
import type { ReadEvidence } from '../../model/source.js';
import type { Stores } from '../../store/open-stores.js';

/** The input for judging one read of a stream of an entity. */
export interface SuspectRead {
  readonly entity: Entity;
  /** Source or stream, such as `hr` or `crm.deals`. */
  readonly source: string;
  readonly evidence: ReadEvidence;
  readonly config: Config;
  readonly stores: Stores;
  /** Columns that expressions of the entity read, such as `hr.title`. */
  readonly reads: ReadonlySet<string>;
}

/** The reason why a source is not used until a person has checked it. */
export interface Doubt {
  /** The number that would have been allowed. */
  readonly limit: number;
  readonly found: number;
  readonly cause: string;
  /** The cause with its numbers, as text for people. */
  readonly detail: string;
  /** Where to check, in one sentence. */
  readonly remedy: string;
  /**
   * SHA-256 (hex) of the suspicious part, if that is less than the content. The approval then covers the same part of
   * another content too.
   */
  readonly digest?: string;
  /** If there are several explanations, each of them with the command to type. */
  readonly readings?: (guard: string) => string;
}

/** A reason not to rely on a source at all. */
export interface Suspicion {
  /** The third part of the guard's name, for example in `sources.hr.another_tenant:3f2a9c…`. */
  readonly name: string;
  /** `staged` judges the rows before anything is derived; `derived` judges the changes that the rows would cause. */
  readonly when: 'staged' | 'derived';
  /** Set if it also judges streams that only enrich. */
  readonly isOfAll?: true;
  /** Runs in steps, because it may count everyone. */
  readonly judge: (read: SuspectRead) => Generator<void, Doubt | null>;
}

import type { Config } from '../../config/config.js';
import type { Entity } from '../../model/entity.js';
import type { ReadEvidence } from '../../model/source.js';
import type { Stores } from '../../store/open-stores.js';

/** What one read of a stream that decides what exists of an entity is judged by. */
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

/** Why a source is not used before somebody has looked. */
export interface Doubt {
  /** So much would have passed. */
  readonly limit: number;
  readonly found: number;
  readonly cause: string;
  /** The cause with its numbers, for people. */
  readonly detail: string;
  /** What to look at; in one sentence. */
  readonly remedy: string;
  /** SHA-256 (hex) of what it is about, where that is less than the content: an approval covers the same in another content too. */
  readonly digest?: string;
  /** Where it may be one thing or another: each with what to type. */
  readonly readings?: (guard: string) => string;
}

/** A reason not to believe a whole source. */
export interface Suspicion {
  /** The third part of its name: `sources.hr.another_tenant:3f2a9c…`. */
  readonly name: string;
  /** `staged`: by what the rows say, before anything is derived. `derived`: by the changes that they would make. */
  readonly when: 'staged' | 'derived';
  /** Streams that only enrich are judged by it too. */
  readonly isOfAll?: true;
  /** In steps: what it counts may be of everybody. */
  readonly judge: (read: SuspectRead) => Generator<void, Doubt | null>;
}

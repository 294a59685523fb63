import type { Config } from '../config/config.js';
import type { Mapper } from '../mapping/mapper.js';
import type { RefreshContext } from '../mirror/refresh.js';
import type { RefusedReads } from '../mirror/refused-reads.js';
import type { Candidate } from '../model/desired.js';
import type { Entity } from '../model/entity.js';
import type { Observed } from '../model/observed.js';
import type { Stores } from '../store/open-stores.js';
import type { StagedEntity } from './staging/stage-sources.js';

/** The tenant's settings and stores, and the reads of this run, for planning. */
export interface RunContext {
  readonly config: Config;
  readonly stores: Stores;
  readonly refresh: RefreshContext;
  readonly refused: RefusedReads;
  readonly protectedBy: (user: Observed) => string | null;
  /** ISO 8601; grace and intervals are counted to it. */
  readonly now: string;
  /** True when this run has read every user of the account; every project in scope is read then too, not only those that seem to change. */
  readonly usersFresh: boolean;
}

export interface DeriveContext extends RunContext {
  readonly mappers: Readonly<Partial<Record<Entity, Pick<Mapper, 'saysLeft' | 'reads'>>>>;
  readonly staged: readonly StagedEntity[];
  /** True when everything is derived from scratch, to see whether what moved was all. */
  readonly isChecked?: boolean;
  /** True when a signal started the run, not its schedule. */
  readonly signalled?: boolean;
  /** True when this run has asked the service for all it needs: a second derivation asks it nothing. */
  readonly serviceRead?: boolean;
}

/** What the reads before an entity is compared go by. */
export interface ReadingContext extends DeriveContext {
  /** Records of the entity that is read for, of which something might be sent by what a read shows. */
  moving(): Iterable<Candidate>;
}

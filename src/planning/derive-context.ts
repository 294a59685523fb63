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
  /** ISO 8601; grace periods and intervals are counted up to this time. */
  readonly now: string;
  /**
   * True if this run has read every user of the account. It then also reads every project in scope, not only those that
   * seem to change.
   */
  readonly usersFresh: boolean;
}

export interface DeriveContext extends RunContext {
  readonly mappers: Readonly<Partial<Record<Entity, Pick<Mapper, 'saysLeft' | 'reads'>>>>;
  readonly staged: readonly StagedEntity[];
  /** True if everything is derived from scratch, to check that no change was missed. */
  readonly isChecked?: boolean;
  /** True if a signal started the run, not its schedule. */
  readonly signalled?: boolean;
  /** True if this run has already made all its reads of the service, so a second derivation makes none. */
  readonly serviceRead?: boolean;
}

/** The context for reading the objects that an entity is compared with. */
export interface ReadingContext extends DeriveContext {
  /** Records of the entity for which the run might send something, depending on the outcome of a read. */
  moving(): Iterable<Candidate>;
}

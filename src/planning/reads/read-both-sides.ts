import { type Clock, isoNow } from '../../base/clock.js';
import type { Config } from '../../config/config.js';
import type { Mapper } from '../../mapping/mapper.js';
import { settleWitness } from '../../mirror/prove-account.js';
import { isFullReadDue, type MirrorEvidence, type RefreshContext, refreshMirror } from '../../mirror/refresh.js';
import { createRefusedReads } from '../../mirror/refused-reads.js';
import type { Entity } from '../../model/entity.js';
import type { Observed } from '../../model/observed.js';
import type { Stores } from '../../store/open-stores.js';
import type { DeriveContext } from '../derive-context.js';
import { type StageContext, stageEntities } from '../staging/stage-sources.js';
import { createMappedRows, type MappedRows } from '../understanding/mapped-rows.js';
import { noteShrunk } from './note-shrunk.js';

/** The parts of a tenant that a run needs for planning. */
export interface PlanningTenant {
  readonly config: Config;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly mappers: Readonly<Partial<Record<Entity, Mapper>>>;
  readonly refreshContext: RefreshContext;
  readonly stageContext: StageContext;
  readonly protectedBy: (user: Observed) => string | null;
  /** True if a signal started the run, not its schedule. */
  readonly signalled?: boolean;
}

/** The data of both sides at one point in time. */
export interface BothSides extends DeriveContext {
  readonly mirrorRead: MirrorEvidence;
  /** Facts for a first run; null if a person has a link. */
  readonly mapped: MappedRows | null;
}

/** Reads the sources and the service at the same time, so that neither waits for the other. */
export async function readBothSides(tenant: PlanningTenant, full: boolean): Promise<BothSides> {
  const { config, stores, clock, protectedBy, refreshContext: refresh, signalled = false } = tenant;
  const now = isoNow(clock);
  stores.work.reset();
  // A full read does not rely on the results of earlier runs.
  const isChecked = full || isFullReadDue(config, stores.mirror, clock);
  const refused = createRefusedReads();
  const { mappers, stageContext } = tenant;
  const isFirst = mappers.users !== undefined && stores.links.count('users') === 0;
  const mapped = isFirst ? createMappedRows(mappers, stageContext.today) : null;
  const [mirrorRead, read] = await Promise.all([
    refreshMirror(refresh, full || stores.lostState.lost() !== null, refused),
    stageEntities(mappers, { ...stageContext, isChecked, onMapped: mapped?.take ?? null }),
  ]);
  if (mirrorRead.lacksWitness) await settleWitness(stores, refresh);
  const staged = noteShrunk(read, stores);
  const usersFresh = mirrorRead.users === 'full read';
  return {
    config,
    stores,
    mappers,
    refresh,
    staged,
    refused,
    protectedBy,
    signalled,
    now,
    usersFresh,
    mirrorRead,
    isChecked,
    mapped,
  };
}

import type { Mapper } from '../mapping/mapper.js';
import type { RefreshContext } from '../mirror/refresh.js';
import { createRefusedReads } from '../mirror/refused-reads.js';
import type { Entity } from '../model/entity.js';
import type { Observed } from '../model/observed.js';
import type { GuardTrip } from '../model/plan.js';
import type { Stores } from '../store/open-stores.js';
import { derivePlan } from './derive-plan.js';
import { holdGuarded } from './holds/hold-guarded.js';
import { holdPaused } from './holds/hold-paused.js';
import { noteShrunk } from './reads/note-shrunk.js';
import { type StageContext, type StagedEntity, stageEntities } from './staging/stage-sources.js';
import type { WriteBackPlanning } from './write-back/derive-write-back.js';
import { planWriteBacks } from './write-back/plan-write-back.js';

/** Everything needed to derive a plan that nobody will apply; it has its own state, and asks no questions. */
export interface PreviewApp {
  readonly stores: Stores;
  readonly mappers: Readonly<Partial<Record<Entity, Mapper>>>;
  readonly stageContext: StageContext;
  readonly refreshContext: RefreshContext;
  readonly protectedBy: (user: Observed) => string | null;
  readonly writeBackPlanning: WriteBackPlanning;
}

/** The reads and guards of the preview; its changes are in the scratch state. */
export interface DerivedPreview {
  readonly staged: readonly StagedEntity[];
  readonly guards: readonly GuardTrip[];
}

/**
 * Derives a run without reading the service, so the mirror stays as the last run left it. Both configurations then lack
 * the changes that only a complete read of the account proves.
 */
export async function derivePreview(app: PreviewApp, now: string): Promise<DerivedPreview> {
  const { stores, mappers, stageContext, refreshContext: refresh, protectedBy } = app;
  const { config } = refresh;
  stores.work.reset();
  const staged = noteShrunk(await stageEntities(mappers, stageContext), stores);
  const context = { config, stores, mappers, refresh, staged, protectedBy, now, usersFresh: false, serviceRead: true };
  const derivation = await derivePlan({ ...context, refused: createRefusedReads() });
  holdPaused(stores, now);
  const trips = await holdGuarded(context, derivation);
  const guards = [...trips, ...planWriteBacks(app.writeBackPlanning, derivation)];
  return { staged: derivation.staged, guards };
}

import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import type { Entity } from '../model/entity.js';
import { foldKey } from '../model/observed.js';
import { readWaitingPlan } from '../planning/holds/record-waiting.js';
import { openPlanDocument, type PlanDocument } from '../planning/saved/plan-document.js';
import { findPlanFile } from '../planning/saved/plan-file.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import type { StoredExplanation } from '../report/explain/explain-stored.js';
import type { Stores } from '../store/open-stores.js';
import { findPeople } from './find-people.js';
import type { TenantOperation } from './operation.js';
import { withStores } from './with-stores.js';

export interface StoredQuestion {
  readonly entity: Entity;
  /** Key, address, or a part of the name. */
  readonly who: string;
}

/**
 * Like `explain`, but uses the results of earlier runs. The operation reads neither sources nor the service, and takes no
 * lock.
 */
export const EXPLAIN_STORED: TenantOperation<StoredQuestion, StoredExplanation> = {
  name: 'explainStored',
  // A copy without the mirror still has links, decisions, holds and history, which is enough for an explanation.
  needs: 'a copy',
  perform: ({ config, clock, isVeiled }, { entity, who }) =>
    withStores({ config, clock }, async (stores) => {
      const key = await findKey(stores, { entity, who }, isVeiled);
      const { explainStored } = await import('../report/explain/explain-stored.js');
      const plan = await openNewest(config, stores);
      return await explainStored({ stores, config }, { entity, key, now: isoNow(clock), plan });
    }),
};

/** @throws SyncError SYNC_NOT_FOUND unless exactly one record matches */
async function findKey(stores: Stores, { entity, who }: StoredQuestion, isVeiled?: boolean): Promise<string> {
  if (stores.links.find(entity, who) !== null) return who;
  const { found } = await findPeople(stores, { entity, words: who }, isVeiled);
  const keys = found.flatMap(({ key }) => key ?? []);
  const exact = keys.find((key) => foldKey(key) === foldKey(who)) ?? (keys.length === 1 ? keys[0] : undefined);
  if (exact !== undefined) return exact;
  throw new SyncError('SYNC_NOT_FOUND', {
    message: keys.length === 0 ? `No stored record matches "${who}".` : `${keys.length} records match "${who}".`,
    place: 'explain',
    remedy: keys.length === 0 ? 'Search for it by key or address first.' : 'Ask again with one of these keys.',
    problems: keys.slice(0, TOLD).map((key) => ({ place: entity, message: key })),
  });
}

/** Number of candidates to show. */
const TOLD = 10;

/** Returns null if the file no longer exists. */
async function openNewest(config: Config, stores: Stores): Promise<PlanDocument | null> {
  const plan = readWaitingPlan(stores);
  if (plan === null) return null;
  try {
    return await openPlanDocument(findPlanFile(plansFolder(config), plan, 'all'), stores.planKey());
  } catch (error) {
    if (error instanceof SyncError && error.code === 'SYNC_PLAN_MISSING') return null;
    throw error;
  }
}

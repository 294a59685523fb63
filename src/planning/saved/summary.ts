import { randomBytes } from 'node:crypto';
import { type Clock, isoNow } from '../../base/clock.js';
import type { Config } from '../../config/config.js';
import type { Json } from '../../model/json.js';
import type { PlanEvidence } from '../../model/plan.js';
import type { PassedRow } from '../../reconcile/ports.js';
import type { Stores } from '../../store/open-stores.js';
import type { DerivedRun } from '../derived-run.js';
import type { Unread } from '../reads/unread.js';
import type { StagedEntity } from '../staging/stage-sources.js';
import { type PlanMeta, RUN_PLAN } from './plan-file.js';

/** An id such as `p20261120T131500123Z-1f3a9c`, which sorts by time to the millisecond, and is unique without coordination. */
export function newId(prefix: 'p' | 'r' | 'a' | 'd' | 'e' | 't', clock: Clock): string {
  const stamp = isoNow(clock).replace(/[-:.]/g, '');
  return `${prefix}${stamp}-${randomBytes(3).toString('hex')}`;
}

/** Marks a plan that a run creates for itself, because `apply` without a plan id takes one that an operator has seen. */
export function newPlanId(clock: Clock, by: 'plan' | 'run'): string {
  return by === 'run' ? `${newId('p', clock)}${RUN_PLAN}` : newId('p', clock);
}

export function buildMeta(
  plan: string,
  { config, clock, asOf }: { readonly config: Config; readonly clock: Clock; readonly asOf: string | null },
  { mirrorRead: mirror, staged, undoes, only }: Pick<DerivedRun, 'mirrorRead' | 'staged' | 'undoes' | 'only'>,
): PlanMeta {
  const expires = new Date(clock.now() + config.plan.expiresMs).toISOString();
  const reads = staged
    .flatMap(({ deciding, enriching }) => [...deciding, ...enriching])
    .flatMap(({ source, evidence }) => (evidence === null ? [] : [[source, evidence.readAt] as const]));
  const created = isoNow(clock);
  const from = { config: config.file, mirror: mirror.users, reads: Object.fromEntries(reads) };
  return {
    plan,
    created,
    expires,
    ...from,
    ...(undoes ? { undoes } : {}),
    ...(only === null ? {} : { only }),
    ...(asOf === null ? {} : { asOf }),
  };
}

const PASSED_SHOWN = 3;

/** Sums up the rows of leavers whose accounts stay. They are named by their places, because keys may identify people. */
export function sumUpPassed(passed: readonly PassedRow[]): Pick<PlanEvidence, 'passed'> {
  const places = passed.slice(0, PASSED_SHOWN).map(({ place }) => place);
  return passed.length === 0 ? {} : { passed: { rows: passed.length, places } };
}

/** The state of the sources and the mirror: delivery, rows and digest of each read. It has no times, so that it repeats. */
export function buildEvidence(
  staged: readonly StagedEntity[],
  unread: readonly Unread[],
  { stores, config: { policy } }: { readonly stores: Stores; readonly config: Pick<Config, 'policy'> },
  absence: Json,
): PlanEvidence {
  const sources = staged.flatMap(({ entity, deciding, enriching }) =>
    [...deciding.map((read) => ({ read, decides: true })), ...enriching.map((read) => ({ read, decides: false }))].map(
      ({ read: { source, evidence, error }, decides }): Json => ({
        entity,
        source,
        decides,
        at: evidence?.at ?? null,
        delivery: evidence?.kind === 'drop' ? evidence.delivery : null,
        rows: evidence?.rows ?? null,
        rejected: evidence?.rejected ?? null,
        complete: evidence?.complete ?? false,
        because: error?.message ?? evidence?.incompleteBecause ?? null,
        digest: evidence?.digest ?? null,
      }),
    ),
  );
  const refused = unread.map(
    ({ leftAlone, error }): Json => ({
      entity: leftAlone.join(', '),
      source: 'service',
      decides: true,
      at: error.place ?? null,
      delivery: null,
      rows: null,
      rejected: null,
      complete: false,
      because: error.message,
      digest: null,
    }),
  );
  const mirror = { users: { ...stores.mirror.counts('users') } };
  return {
    sources: [...sources, ...refused],
    mirror,
    ...(absence === null ? {} : { absence }),
    ...(policy === 'sync' ? {} : { policy }),
  };
}

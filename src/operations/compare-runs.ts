import { takeEach } from '../base/clock.js';
import type { Config } from '../config/config.js';
import { isJsonObject } from '../model/json.js';
import type { PlanDocument } from '../planning/saved/plan-document.js';
import type { Stores } from '../store/open-stores.js';
import { openKept } from './open-report.js';

/** A source in this plan, compared with the previous run. Times are ISO 8601. */
export interface SourceCounts {
  readonly source: string;
  readonly at: string;
  readonly readAt: string | null;
  readonly rows: number | null;
  readonly complete: boolean;
  readonly because: string | null;
  readonly before: { readonly rows: number; readonly readAt: string } | null;
}

/** Compares each source of a plan with its previous complete read. */
export function compareSources({ history }: Pick<Stores, 'history'>, plan: PlanDocument): readonly SourceCounts[] {
  const found = new Map<string, SourceCounts>();
  for (const read of plan.evidence.sources) {
    if (!isJsonObject(read) || typeof read.source !== 'string' || read.source === 'service') continue;
    const { source, at, rows, because } = read;
    const readAt = plan.meta.reads?.[source] ?? null;
    found.set(source, {
      source,
      at: typeof at === 'string' ? at : '',
      readAt,
      rows: typeof rows === 'number' ? rows : null,
      complete: read.complete === true,
      because: typeof because === 'string' ? because : null,
      before: history.completeReadBefore(source, readAt ?? plan.meta.created),
    });
  }
  return [...found.values()];
}

/** The changes that waited for a guard in the previous run. */
export interface WaitedBefore {
  readonly run: string;
  readonly has: (change: { readonly entity: string; readonly action: string; readonly key: string }) => boolean;
}

/** Number of runs to search for a plan that still exists. */
const LOOKED_BACK = 20;

/** Returns null if no plan of an earlier run exists. */
export async function readWaitedBefore(
  config: Config,
  stores: Stores,
  { meta }: Pick<PlanDocument, 'meta'>,
): Promise<WaitedBefore | null> {
  for (const { id, plan } of stores.history.runsBefore(meta.created, LOOKED_BACK)) {
    if (plan === null || plan === meta.plan) continue;
    const document = await openKept(config, stores, plan);
    if (document === null || document.meta.undoes !== undefined || document.meta.only !== undefined) continue;
    const names = new Set<string>();
    await takeEach(document.changes(), (change) => {
      if (change.withheld?.by === 'guard') names.add(nameOf(change));
    });
    return { run: id, has: (change) => names.has(nameOf(change)) };
  }
  return null;
}

function nameOf({ entity, action, key }: Parameters<WaitedBefore['has']>[0]): string {
  return `${entity} ${action} ${key}`;
}

import type { Connector } from '../connectors/connector.js';
import { listenTo } from '../connectors/listen-to.js';
import { type Change, isImported } from '../model/plan.js';
import type { OnProgress } from '../model/progress.js';
import type { Stores } from '../store/open-stores.js';

/** Wraps the sources so that they report progress. The last complete read gives the expected number of rows. */
export function watchSources(
  connectors: ReadonlyMap<string, Connector>,
  { history }: Pick<Stores, 'history'>,
  onProgress: OnProgress | undefined,
): ReadonlyMap<string, Connector> {
  if (onProgress === undefined) return connectors;
  return new Map(
    [...connectors].map(([stream, connector]) => {
      const total = history.lastCompleteRead(stream)?.rows ?? null;
      const step = { step: `reading ${stream}`, of: 'rows', total };
      const watched = listenTo(
        connector,
        ({ records, rejected, standing = [] }) => {
          const more = 'allAt' in standing ? (total ?? 0) : standing.length;
          onProgress({ ...step, more: records.length + rejected.length + more });
        },
        false,
      );
      return [stream, watched];
    }),
  );
}

/**
 * Wraps the mirror so that it reports progress. The expected number of objects is only known if all people are read
 * again.
 */
export function watchMirror({ mirror }: Pick<Stores, 'mirror'>, onProgress: OnProgress | undefined): Stores['mirror'] {
  if (onProgress === undefined) return mirror;
  const before = { round: Number(mirror.mark('users.round') ?? 0), people: mirror.counts('users').all };
  return {
    ...mirror,
    save(objects, round) {
      const isWhole = objects[0]?.entity === 'users' && round > before.round && before.people > 0;
      onProgress({
        step: isWhole ? 'reading the people of the service' : 'reading the service',
        of: 'objects',
        more: objects.length,
        total: isWhole ? before.people : null,
      });
      return mirror.save(objects, round);
    },
  };
}

/** Numbers of changes to apply. */
export interface ChangeTotals {
  /** People that the service's own import creates. */
  readonly imported: number;
  readonly others: number;
}

/**
 * Reports each finished change. Imported people are counted separately, because they appear only when the service has
 * read the file.
 */
export function countChanges(count: () => ChangeTotals, on: OnProgress): (change: Pick<Change, 'batch'>) => void {
  let known: ChangeTotals | null = null;
  return (change) => {
    known ??= count();
    if (isImported(change)) on({ step: 'waiting for the import', of: 'people', more: 1, total: known.imported });
    else on({ step: 'applying', of: 'changes', more: 1, total: known.others });
  };
}

/** Counts the changes of a saved plan; without a saved plan, all changes that are not held. */
export function countToApply({ work }: Pick<Stores, 'work'>): ChangeTotals {
  const filter = work.count('wanted') > 0 ? 'wanted' : 'applicable';
  const imported = work.countImported(filter);
  return { imported, others: work.count(filter) - imported };
}

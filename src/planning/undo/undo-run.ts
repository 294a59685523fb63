import { type Clock, isoNow } from '../../clock.js';
import { refreshMirror } from '../../mirror/refresh.js';
import { createRefusedReads } from '../../mirror/refused-reads.js';
import type { DerivedRun } from '../derived-run.js';
import { holdGuarded } from '../holds/hold-guarded.js';
import { deriveUndo, findWorks, isFullReadCheaper, type UndoContext, type UndoRequest } from './derive-undo.js';

/** The audit stands where the sources stand else: what the run did → the service as it is now → inverse → guards. */
export async function deriveUndoRun(
  context: Omit<UndoContext, 'usersFresh' | 'now' | 'refused'> & { readonly clock: Clock },
  { full, only }: { readonly full: boolean; readonly only: string | null },
  undoes: UndoRequest,
): Promise<DerivedRun> {
  const { config, stores, refresh, clock } = context;
  const now = isoNow(clock);
  const works = findWorks(stores, undoes.run, only);
  stores.work.reset();
  const isFull = full || isFullReadCheaper(works, stores.mirror.counts('users').all);
  const refused = createRefusedReads();
  const mirrorRead = await refreshMirror(refresh, isFull, refused);
  const usersFresh = mirrorRead.users === 'full read';
  const derivation = await deriveUndo({ ...context, refused, now, usersFresh }, undoes, works);
  const guards = await holdGuarded(config, stores, { ...derivation, isUndo: true }, now);
  // Whoever it changes has been read in this run, by id or with everybody: no look is needed before they leave.
  return { ...derivation, guards, bulkLoad: null, mirrorRead, usersFresh: true, only, undoes };
}

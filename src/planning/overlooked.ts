import type { StagedEntity } from '../mirror/stage-sources.js';
import { listOverlooked, type OverlookedFile } from '../model/source.js';
import type { Stores } from '../store/open-stores.js';
import { evidences } from './derive-plan.js';

const MARK = 'sources.overlooked';

/** Which newer files the newest plan did not read, for those who ask without reading anything. */
export function noteOverlooked({ mirror }: Stores, staged: readonly StagedEntity[]): void {
  const reads = staged.flatMap(({ deciding, enriching }) => evidences([...deciding, ...enriching]));
  mirror.setMark(MARK, JSON.stringify(listOverlooked(reads)));
}

export function readOverlooked({ mirror }: Pick<Stores, 'mirror'>): readonly OverlookedFile[] {
  return JSON.parse(mirror.mark(MARK) ?? '[]') as readonly OverlookedFile[];
}

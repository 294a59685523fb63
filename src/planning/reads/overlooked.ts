import {
  listOverlooked,
  listUnreadableNames,
  type OverlookedFile,
  type UnreadableNamesOf,
} from '../../model/source.js';
import type { Stores } from '../../store/open-stores.js';
import type { StagedEntity } from '../staging/stage-sources.js';
import { evidences } from './evidence.js';

const MARK = 'sources.overlooked';
const NAMES_MARK = 'sources.unreadable_names';

/**
 * Stores the files that the newest plan did not read: newer ones, and those with unreadable names. Commands show them
 * without reading the sources again.
 */
export function noteOverlooked({ mirror }: Stores, staged: readonly StagedEntity[]): void {
  const reads = staged.flatMap(({ deciding, enriching }) => evidences([...deciding, ...enriching]));
  mirror.setMark(MARK, JSON.stringify(listOverlooked(reads)));
  mirror.setMark(NAMES_MARK, JSON.stringify(listUnreadableNames(reads)));
}

export function readOverlooked({ mirror }: Pick<Stores, 'mirror'>): readonly OverlookedFile[] {
  return JSON.parse(mirror.mark(MARK) ?? '[]') as readonly OverlookedFile[];
}

export function readUnreadableNames({ mirror }: Pick<Stores, 'mirror'>): readonly UnreadableNamesOf[] {
  return JSON.parse(mirror.mark(NAMES_MARK) ?? '[]') as readonly UnreadableNamesOf[];
}

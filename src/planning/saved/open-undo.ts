import type { Stores } from '../../store/open-stores.js';
import type { PlanHead } from './plan-file.js';

/** The newest plan of an undo that nobody has confirmed yet. Times are ISO 8601. */
export interface OpenUndo {
  readonly plan: string;
  /** The run that it undoes. */
  readonly run: string;
  readonly changes: number;
  readonly at: string;
  readonly expires: string;
}

const MARK = 'undo.open';

/** @param by the plan of an operator waits for confirmation; the plan of a run is applied */
export function noteOpenUndo(
  { mirror }: Pick<Stores, 'mirror'>,
  { plan, created, expires }: Pick<PlanHead, 'plan' | 'created' | 'expires'>,
  { run, changes, by }: Pick<OpenUndo, 'run' | 'changes'> & { readonly by: 'plan' | 'run' },
): void {
  const open: OpenUndo = { plan, run, changes, at: created, expires };
  mirror.setMark(MARK, JSON.stringify(by === 'plan' && changes > 0 ? open : null));
}

/** @param now ISO 8601 */
export function readOpenUndo({ mirror }: Pick<Stores, 'mirror'>, now: string): OpenUndo | null {
  const open = JSON.parse(mirror.mark(MARK) ?? 'null') as OpenUndo | null;
  return open === null || open.expires <= now ? null : open;
}

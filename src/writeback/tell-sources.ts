import type { Applied } from '../apply/apply-plan.js';
import { type WriteBackContext, type WrittenBack, writeBack } from './write-back.js';

/** The end of a run on both sides. */
export type AppliedBoth = Applied & { readonly toSources: WrittenBack['done'] };

/** After the service: a run that was stopped there leaves the sources to the next one. */
export async function tellSources(
  applied: Applied,
  filter: 'applicable' | 'wanted',
  context: WriteBackContext,
): Promise<AppliedBoth> {
  if (applied.stopped !== null) {
    const counts = Object.values(context.stores.work.countBack(filter));
    return { ...applied, left: applied.left + counts.reduce((sum, { records }) => sum + records, 0), toSources: {} };
  }
  const { done, failed, left } = await writeBack(filter, context);
  return { ...applied, failed: [...applied.failed, ...failed], left: applied.left + left, toSources: done };
}

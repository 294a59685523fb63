import type { GuardPreview } from '../model/plan.js';
import { plural } from '../model/plural.js';
import type { MissingPeople } from '../model/source.js';

/** Facts that may explain why a guard trips. */
export interface CauseEvidence {
  readonly configurationChanged: boolean;
  /** Rows of the existence source in its last complete read before this one, and now; null if there was none. */
  readonly rowsBefore: number | null;
  readonly rowsNow: number;
  /** The people whom the source had shown and now lacks, if there are more of them than on an ordinary day. */
  readonly missing?: Pick<MissingPeople, 'count' | 'text'>;
  /** The reason why the read of the source is incomplete; absent if it is complete. */
  readonly notWhole?: string;
  /** The run that is undone; an undo involves no source. */
  readonly undoes?: string;
  /** The result of the same data under the configuration of the last applied run; absent while that configuration is current. */
  readonly preview?: GuardPreview;
}

/** The number of configuration paths that a sentence names. */
const NAMED = 4;

/**
 * Names the most suspicious cause that explains at least half of the number, so that a person knows where to look
 * first.
 *
 * | the configuration                          | the source             | →                      |
 * |--------------------------------------------|------------------------|------------------------|
 * | edited, and half or more come from that    | any                    | configuration changed  |
 * | edited, with unknown effect                | any                    | configuration changed  |
 * | edited, but the old one would do the same  | lost half the number   | source shrank          |
 * | edited, but the old one would do the same  | complete               | real events            |
 * | the same                                   | lost half the number   | source shrank          |
 * | the same                                   | lacks people whom it had shown, for a removal | source shrank |
 * | the same                                   | complete               | real events            |
 *
 * A source that was not read completely is never called complete. A removal is judged by the last read that showed the
 * missing people, however often the source has lacked them since. A second short file does not make the first one
 * right.
 *
 * @param guard the guard that tripped, for example `users.deactivate`
 */
export function nameCause(
  found: number,
  evidence: CauseEvidence,
  guard = '',
): { cause: string; detail: string; preview?: GuardPreview } {
  const { configurationChanged, preview } = evidence;
  if (evidence.undoes !== undefined)
    return { cause: 'undo', detail: `the changes of run ${evidence.undoes} are undone` };
  const shown = preview === undefined ? {} : { preview };
  if (configurationChanged && isByConfiguration(found, preview)) {
    return { cause: 'configuration changed', detail: describeEdit(found, preview), ...shown };
  }
  const { missing } = evidence;
  if (missing !== undefined && isRemoval(guard) && missing.count * 2 >= found) {
    return { cause: 'source shrank', detail: `${missing.text}${describeAside(preview)}`, ...shown };
  }
  const lost = evidence.rowsBefore === null ? 0 : evidence.rowsBefore - evidence.rowsNow;
  const aside = describeAside(preview);
  if (lost > 0 && lost * 2 >= found) {
    const detail = `the source shrank from ${plural(evidence.rowsBefore ?? 0, 'row')} to ${evidence.rowsNow}${aside}`;
    return { cause: 'source shrank', detail, ...shown };
  }
  const rows =
    evidence.rowsBefore === null
      ? plural(evidence.rowsNow, 'row')
      : `${plural(evidence.rowsBefore, 'row')} before, ${evidence.rowsNow} now`;
  const rest = aside === '' ? ' and the configuration unchanged' : aside;
  const whole = evidence.notWhole === undefined ? 'is complete' : 'was not read completely';
  const because = evidence.notWhole === undefined ? '' : `; ${evidence.notWhole}`;
  return { cause: 'real events', detail: `the source ${whole} (${rows}${because})${rest}`, ...shown };
}

function isRemoval(guard: string): boolean {
  return /\.(?:deactivate|delete)$/.test(guard);
}

function describeAside(preview: GuardPreview | undefined): string {
  return preview === undefined ? '' : `; ${describeHarmless(preview)}`;
}

function isByConfiguration(found: number, preview: GuardPreview | undefined): boolean {
  return preview === undefined || preview.before === null || (found - preview.before) * 2 >= found;
}

/** Describes how much of a number comes from the edit. */
export function describeEdit(found: number, preview: GuardPreview | undefined): string {
  if (preview === undefined) return 'the configuration differs from that of the last applied run';
  const { before, paths, unknown } = preview;
  const edited = listPaths(paths);
  if (before === null) {
    return `${edited} changed since ${nameRun(preview)}; the effect of the earlier configuration is unknown: ${unknown ?? 'it is not known'}`;
  }
  const more = found - before;
  const all = more === 1 ? 'it comes' : 'all of them come';
  const share = before === 0 ? all : `${more} of them come`;
  return `under the configuration of ${nameRun(preview)} it would be ${before}, now ${found}: ${share} from the change of ${edited}`;
}

function describeHarmless(preview: GuardPreview): string {
  return `${listPaths(preview.paths)} changed since ${nameRun(preview)}, but under the configuration of that run it would be ${preview.before}`;
}

function nameRun({ run }: GuardPreview): string {
  return run === null ? 'the last applied run' : `run ${run}`;
}

function listPaths(paths: readonly string[]): string {
  if (paths.length === 0) return 'the configuration';
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  return `${paths.slice(0, NAMED).join(', ')}${more}`;
}

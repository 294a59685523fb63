import type { GuardPreview } from '../model/plan.js';
import { plural } from '../model/plural.js';
import type { MissingPeople } from '../model/source.js';

/** What is known about why so much would change. */
export interface CauseEvidence {
  readonly configurationChanged: boolean;
  /** Rows of the existence source in its last complete read before this one and now; null when there was none. */
  readonly rowsBefore: number | null;
  readonly rowsNow: number;
  /** The people whom the source has shown and lacks now, while they are too many to be an ordinary day. */
  readonly missing?: Pick<MissingPeople, 'count' | 'text'>;
  /** Why the source could not be read whole, or was not meant to be; absent where it was. */
  readonly notWhole?: string;
  /** The run whose changes are taken back; then no source is behind it. */
  readonly undoes?: string;
  /** The same data under the configuration of the last applied run; absent where that configuration still holds. */
  readonly preview?: GuardPreview;
}

/** How many paths of the configuration a sentence names. */
const NAMED = 4;

/**
 * The most suspicious cause that explains at least half of the number wins: a person decides faster knowing what to look at.
 *
 * | the configuration                          | the source             | →                      |
 * |--------------------------------------------|------------------------|------------------------|
 * | edited, and half or more come from that    | any                    | configuration changed  |
 * | edited, and nobody can tell what it did    | any                    | configuration changed  |
 * | edited, but the old one would do the same  | lost half the number   | source shrank          |
 * | edited, but the old one would do the same  | whole                  | real events            |
 * | the same                                   | lost half the number   | source shrank          |
 * | the same                                   | lacks people whom it had shown, for a removal | source shrank |
 * | the same                                   | whole                  | real events            |
 *
 * A source that was not read whole is never called whole. A removal is judged by the last read that had shown those who
 * are missing now, however often the source has lacked them since: after the second short file the first one is as bad.
 *
 * @param guard whose trip it is: `users.deactivate`
 */
export function nameCause(
  found: number,
  evidence: CauseEvidence,
  guard = '',
): { cause: string; detail: string; preview?: GuardPreview } {
  const { configurationChanged, preview } = evidence;
  if (evidence.undoes !== undefined) return { cause: 'undo', detail: `what run ${evidence.undoes} did is taken back` };
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
  const whole = evidence.notWhole === undefined ? 'is whole' : 'was not read whole';
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

/** What of a number the edit explains, in words. */
export function describeEdit(found: number, preview: GuardPreview | undefined): string {
  if (preview === undefined) return 'the configuration differs from the one of the last applied run';
  const { before, paths, unknown } = preview;
  const edited = listPaths(paths);
  if (before === null) {
    return `${edited} changed since ${nameRun(preview)}; what the earlier configuration would do is unknown: ${unknown ?? 'it is not known'}`;
  }
  const more = found - before;
  const all = more === 1 ? 'it comes' : 'all of them come';
  const share = before === 0 ? all : `${more} of them come`;
  return `under the configuration of ${nameRun(preview)} it would be ${before}, now ${found}: ${share} from the change of ${edited}`;
}

function describeHarmless(preview: GuardPreview): string {
  return `${listPaths(preview.paths)} changed since ${nameRun(preview)}, but under the configuration of then it would be ${preview.before}`;
}

function nameRun({ run }: GuardPreview): string {
  return run === null ? 'the last applied run' : `run ${run}`;
}

function listPaths(paths: readonly string[]): string {
  if (paths.length === 0) return 'the configuration';
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : '';
  return `${paths.slice(0, NAMED).join(', ')}${more}`;
}

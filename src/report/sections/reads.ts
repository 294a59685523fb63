import { isJsonObject, type JsonObject } from '../../model/json.js';
import type { PlanEvidence } from '../../model/plan.js';
import { wordsOf } from './differences.js';
import { nameEntities } from './kinds.js';
import type { Report } from './report.js';
import { badge, blocksOf, code, name, prose, type ReportSection, type SectionCell } from './section.js';
import { formatMinute } from './words.js';

export function isWholeRead({ sources }: PlanEvidence): boolean {
  return sources.every((read) => isJsonObject(read) && read.complete === true);
}

export const EQUAL = 'nothing to change: both sides are equal';

const LEFT_BY_POLICY: Readonly<Record<NonNullable<PlanEvidence['policy']>, string>> = {
  'upsert-only': 'nothing to create or change: `policy: upsert-only` removes nothing',
  'create-only': 'nothing to create: `policy: create-only` leaves existing objects unchanged',
};

/**
 * The summary of a plan without changes. The summary contains "equal" only if every read was complete, nothing waits,
 * nothing is written back and the policy leaves nothing alone. An undo reads no source.
 */
export function describeCalm(evidence: PlanEvidence, waits: number, told: number): string {
  const { sources, policy } = evidence;
  if (!isWholeRead(evidence)) return 'nothing to change in what could be read';
  if (told > 0) return 'nothing to change in the service';
  if (waits > 0 || sources.length === 0) return 'nothing to change';
  return policy === undefined ? EQUAL : LEFT_BY_POLICY[policy];
}

/**
 * Describes the sources that were not proven complete, with reason and consequence in one sentence each.
 *
 * @param among `read` leaves out sources that could not be read at all, if their errors are printed separately
 */
function listUnprovenNotes({ sources }: PlanEvidence, among: 'all' | 'read' = 'all'): readonly string[] {
  return sources.flatMap((read) => {
    if (!isJsonObject(read) || read.complete === true) return [];
    if (among === 'read' && (read.rows ?? null) === null) return [];
    const file = typeof read.at === 'string' ? read.at.replace(/^.*\//, '') : '';
    // The address of a pushed source ends with the name of the source.
    const which = file === '' || file === read.source ? String(read.source) : `${String(read.source)} ${file}`;
    const because = String(read.because ?? 'unknown').replace(/\.$/, '');
    const follows =
      read.decides === true
        ? 'so nobody missing from it counts as a leaver'
        : 'so the values that it adds stay as last agreed';
    return [`Source ${which} is incomplete: ${because}, ${follows}.`];
  });
}

/** Everything about the reads that a person should know: incomplete sources, and rows of leavers without an effect. */
export function listReadNotes(evidence: PlanEvidence, among: 'all' | 'read' = 'all'): readonly string[] {
  return [...listUnprovenNotes(evidence, among), ...listPassedNotes(evidence)];
}

function listPassedNotes({ passed }: PlanEvidence): readonly string[] {
  if (passed === undefined) return [];
  const { rows, places } = passed;
  const more = rows > places.length ? `, and ${rows - places.length} more` : '';
  const where = `${places.join(', ')}${more}`;
  return [
    rows === 1
      ? `One row reports a leaver or a deletion without an effect: another record has the same object in the service (${where}).`
      : `${rows} rows report leavers or deletions without an effect: other records have the same objects in the service (${where}).`,
  ];
}

/** The reads on which the report is based, with time, number of rows and completeness. */
export function listEvidence({ plan }: Pick<Report, 'plan'>): ReportSection | null {
  if (plan === null) return null;
  const { evidence, meta } = plan;
  const mirror = wordsOf(evidence.mirror);
  return {
    id: 'evidence',
    title: 'Evidence: what was read',
    short: 'Evidence',
    isAside: true,
    blocks: blocksOf(
      {
        kind: 'table',
        columns: [
          { name: 'Source' },
          { name: 'File or address' },
          { name: 'Read at' },
          { name: 'Rows', isNumber: true },
          { name: 'Unreadable rows', isNumber: true },
          { name: 'Complete' },
        ],
        rows: evidence.sources.filter(isJsonObject).map((read) => describeRead(read, meta.reads ?? {})),
      },
      mirror === null ? null : { kind: 'text', tone: 'muted', text: ['The mirror contained: ', prose(mirror), '.'] },
    ),
  };
}

function describeRead(read: JsonObject, readAt: Readonly<Record<string, string>>): readonly SectionCell[] {
  const source = wordsOf(read.source) ?? '';
  const at = readAt[source];
  const [because, digest] = [wordsOf(read.because), wordsOf(read.digest)];
  const of = `${read.decides === true ? 'decides' : 'adds to'} ${nameEntities(wordsOf(read.entity) ?? '')}`;
  const complete = read.complete === true ? badge('complete', 'good') : badge('incomplete', 'bad');
  return [
    { text: name(source), note: of },
    { text: name(wordsOf(read.at) ?? 'not read'), ...(digest === null ? {} : { note: ['SHA-256 ', code(digest)] }) },
    { text: at === undefined ? '' : formatMinute(at) },
    { text: typeof read.rows === 'number' ? read.rows : '' },
    { text: typeof read.rejected === 'number' ? read.rejected : '' },
    { text: complete, ...(because === null ? {} : { note: prose(because) }) },
  ];
}

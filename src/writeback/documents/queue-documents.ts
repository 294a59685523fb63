import type { DocumentDelivery } from '../../config/resolve-documents.js';
import type { DocumentRecord, DueDocuments } from '../../model/delivery.js';
import { forecastDownloads } from '../../service/limiter.js';
import { hashQuestion } from '../reports/report-calls.js';
import type { ListedRecord, Survey } from './document-kind.js';
import { foldName, nameDocument, shareNames } from './document-names.js';

/** A record with a document that is missing, outdated or under another name. */
export interface DueDocument {
  readonly listed: ListedRecord;
  /** The target path. */
  readonly file: string;
  readonly before: DocumentRecord | null;
}

export interface DocumentQueue {
  readonly survey: Survey;
  /** The hash of the settings for the requested form. A change of these settings makes all documents due. */
  readonly asked: string;
  readonly due: readonly DueDocument[];
  /** Records with a failed document that waits for the next attempt. */
  readonly resting: readonly DocumentRecord[];
  /** Known records that are not listed. */
  readonly unlisted: readonly DocumentRecord[];
  /** Listed records that were missing from an earlier list. */
  readonly back: readonly DocumentRecord[];
}

/**
 * Compares the survey with the stored records and returns the documents to fetch. No document is due twice for the same
 * change.
 */
export function queueDocuments(
  delivery: DocumentDelivery,
  survey: Survey,
  records: readonly DocumentRecord[],
  nowMs: number,
): DocumentQueue {
  const { format, language, template, fileName } = delivery;
  const asked = hashQuestion({ format, language, template });
  const known = new Map(records.map((record) => [record.key, record]));
  const holders = new Map(
    records.flatMap(({ key, laid }) => (laid === null ? [] : [[foldName(laid.file), { key, file: laid.file }]])),
  );
  const wanted = survey.listed.map(({ key, words }) => ({ key, wanted: nameDocument(fileName, words) }));
  const names = shareNames(wanted, holders);
  const due: DueDocument[] = [];
  const resting: DocumentRecord[] = [];
  const seen = new Set<string>();
  for (const listed of survey.listed) {
    const { key, stamp } = listed;
    seen.add(key);
    const before = known.get(key) ?? null;
    const file = names.get(key) ?? '';
    const { laid = null, failure = null } = before ?? {};
    if (laid !== null && laid.stamp === stamp && laid.asked === asked && laid.file === file) continue;
    const isSameTry = failure !== null && failure.stamp === stamp && failure.asked === asked;
    if (before !== null && isSameTry && failure.nextMs > nowMs) resting.push(before);
    else due.push({ listed, file, before });
  }
  return {
    survey,
    asked,
    // Records that failed come last, so they do not delay others.
    due: due.sort((a, b) => timesOf(a) - timesOf(b)),
    resting,
    unlisted: records.filter(({ key }) => !seen.has(key)),
    back: records.filter(({ key, missing }) => missing > 0 && seen.has(key)),
  };
}

function timesOf({ before }: DueDocument): number {
  return before?.failure?.times ?? 0;
}

export function countDue({ atMost, gone }: DocumentDelivery, { survey, due, unlisted }: DocumentQueue): DueDocuments {
  const now = Math.min(due.length, atMost);
  return {
    listed: survey.listed.length,
    due: due.length,
    now,
    gone: gone === 'remove' && mayRemove(survey) ? unlisted.filter(({ laid }) => laid !== null).length : 0,
    seconds: forecastDownloads(now),
    secondsInAll: forecastDownloads(due.length),
  };
}

/** True if records missing from the survey may be removed. An empty or incomplete list proves nothing. */
export function mayRemove({ isWhole, listed }: Survey): boolean {
  return isWhole && listed.length > 0;
}

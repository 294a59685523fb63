import type { Hold } from '../../model/desired.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { runsInSpreadsheet } from '../../model/spreadsheet.js';
import type { SentValue, WriteBackColumn } from '../../model/write-back.js';
import { isNearCell, isSameCell } from '../fields/same-cell.js';

/** How often the same value is sent to a column that shows another value afterwards. */
const MOST_TIMES = 3;

/** A column of a record with the value that the source shows, and the value last sent to it. */
export interface SentCell {
  readonly column: Pick<WriteBackColumn, 'source' | 'column' | 'isRead'>;
  readonly shown: Json;
  readonly sent: SentValue | null;
}

/** The times that decide when a source should show a sent value. */
export interface SendClock {
  /** ISO 8601. */
  readonly now: string;
  /** How long the source may take to show a sent value, in milliseconds. */
  lapseMs(source: string): number;
}

/**
 * Decides whether a value is written back to a column. "As then" means that the source still shows its value from the
 * time of sending. An empty table cell stands for any value.
 *
 * | #  | sent before   | status                     | shows     | as then | lapsed | times | →         |
 * |----|---------------|----------------------------|-----------|---------|--------|-------|-----------|
 * | 1  | nothing       |                            | the value |         |        |       | `settled` |
 * | 2  | nothing       |                            | nearly    |         |        |       | `send`    |
 * | 3  | nothing       |                            | another   |         |        |       | `send`    |
 * | 4  | nothing       |                            | unread    |         |        |       | `send`    |
 * | 5  | another value |                            | the value |         |        |       | `echo`    |
 * | 6  | another value |                            | nearly    |         |        |       | `send`    |
 * | 7  | another value |                            | another   |         |        |       | `send`    |
 * | 8  | another value |                            | unread    |         |        |       | `send`    |
 * | 9  | this value    |                            | the value |         |        |       | `echo`    |
 * | 10 | this value    | `sending`, `lost`, `again` | nearly    |         |        |       | `send`    |
 * | 11 | this value    | `sending`, `lost`, `again` | another   |         |        |       | `send`    |
 * | 12 | this value    | `sending`, `lost`, `again` | unread    |         |        |       | `send`    |
 * | 13 | this value    | `refused`                  | nearly    | yes     | no     |       | `refused` |
 * | 14 | this value    | `refused`                  | another   | yes     | no     |       | `refused` |
 * | 15 | this value    | `refused`                  | unread    |         | no     |       | `refused` |
 * | 16 | this value    | `refused`                  | nearly    | yes     | yes    |       | `send`    |
 * | 17 | this value    | `refused`                  | another   | yes     | yes    |       | `send`    |
 * | 18 | this value    | `refused`                  | unread    |         | yes    |       | `send`    |
 * | 19 | this value    | `refused`                  | nearly    | no      |        |       | `send`    |
 * | 20 | this value    | `refused`                  | another   | no      |        |       | `send`    |
 * | 21 | this value    | `sent`                     | unread    |         |        |       | `settled` |
 * | 22 | this value    | `sent`                     | nearly    |         |        |       | `near`    |
 * | 23 | this value    | `sent`                     | another   | yes     | no     |       | `waiting` |
 * | 24 | this value    | `sent`                     | another   | yes     | yes    |       | `send`    |
 * | 25 | this value    | `sent`                     | another   | no      |        | few   | `send`    |
 * | 26 | this value    | `sent`                     | another   | no      |        | three | `frozen`  |
 */
export function decideSend(
  { column: { source, isRead }, shown, sent }: SentCell,
  told: Json,
  { lapseMs, now }: SendClock,
): 'send' | 'settled' | 'echo' | 'near' | 'waiting' | 'frozen' | 'refused' {
  if (isRead && isSameCell(shown, told)) return sent === null ? 'settled' : 'echo';
  if (sent === null || !isSameCell(sent.value, told) || IS_OPEN.has(sent.status)) return 'send';
  const isAsThen = isSameCell(shown, sent.shown);
  const rests = isAsThen && Date.parse(now) - Date.parse(sent.at) < lapseMs(source);
  if (sent.status === 'refused') return rests ? 'refused' : 'send';
  if (!isRead) return 'settled';
  if (isNearCell(shown, told)) return 'near';
  if (rests) return 'waiting';
  return !isAsThen && sent.times >= MOST_TIMES ? 'frozen' : 'send';
}

/** Statuses without an answer, or with a rejection for a temporary reason. */
const IS_OPEN: ReadonlySet<SentValue['status']> = new Set(['sending', 'lost', 'again']);

export function explain(
  { column: { column }, shown, sent }: SentCell,
  told: Json,
  verdict: 'frozen' | 'refused',
): Pick<Hold, 'code' | 'reason' | 'remedy'> {
  if (verdict === 'refused') {
    const reason = `${column} was rejected: ${sent?.message ?? 'no reason given'}`;
    const remedy =
      'Correct the value in the service. It is sent again when one of the sides changes, or after the time of `lapse`.';
    return { code: 'SYNC_WRITE_BACK_REFUSED', reason, remedy };
  }
  const reason = `${column} does not stay: ${canonicalJson(told)} was sent ${MOST_TIMES} times, but the source shows ${canonicalJson(shown)}.`;
  const remedy =
    'Correct it in the source, or remove `write_back` from the mapping. It is not sent again until one of the two changes.';
  return { code: 'SYNC_WRITE_BACK_FROZEN', reason, remedy };
}

/** The text in a value that a spreadsheet would run; null if there is none. */
export function findFormula(value: Json): string | null {
  if (typeof value === 'string') return runsInSpreadsheet(value) ? value : null;
  if (typeof value !== 'object' || value === null) return null;
  return Object.values(value).reduce<string | null>((found, part) => found ?? findFormula(part), null);
}

const MOST_SHOWN = 60;

export function explainFormula(
  { source, column }: WriteBackColumn,
  told: Json,
): Pick<Hold, 'code' | 'reason' | 'remedy'> {
  const text = canonicalJson(findFormula(told));
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  const [name = '', ...stream] = source.split('.');
  const at = ['sources', name, ...stream.flatMap((part) => ['streams', part]), 'write_back'].join('.');
  return {
    code: 'SYNC_WRITE_BACK_FORMULA',
    reason: `${column} of ${source} is not written: a spreadsheet would run ${shown} as a formula.`,
    remedy: `Correct the value in the service. If nobody opens the written data in a spreadsheet, \`formulas: write\` under \`${at}\` writes such values unchanged.`,
  };
}

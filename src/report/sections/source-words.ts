import type { NearMisses } from '../../model/write-back.js';
import { formatMinute } from '../texts/run-lines.js';
import { plural } from '../writers/style.js';
import { type Report, STATES, type State } from './report.js';
import type { SourceTally } from './tally.js';

/** A report of the service that is due or was delivered, as every format tells it. */
export interface DeliveryWords {
  readonly name: string;
  /** `cv technologies`, `reference`. */
  readonly of: string;
  /** ISO 8601; null where a person asked for it. */
  readonly slot: string | null;
  readonly state: State;
  readonly about: string;
}

/** Of a run what it delivered; of a plan what is due. */
export function listDeliveryWords({ kind, due, delivered }: Pick<Report, 'kind' | 'due' | 'delivered'>) {
  if (kind === 'plan') {
    return due.map(({ report: name, of, slot, missed, calls }): DeliveryWords => {
      const sum = Object.values(calls).reduce((a, b) => a + b, 0);
      return {
        name,
        of,
        slot,
        state: 'planned',
        about: `delivered by the next run: ${plural(sum, 'call')}${late(missed)}`,
      };
    });
  }
  return delivered.map(({ report: name, of, slot, status, missed, files, error }): DeliveryWords => {
    const words = { name, of, slot };
    if (error !== undefined)
      return { ...words, state: 'failed', about: `${error.code}: ${error.message} ${error.remedy}${late(missed)}` };
    if (status === 'left') return { ...words, state: 'left', about: 'the call budget is spent; the next run goes on' };
    const laid = files.map(
      ({ at, rows, bytes }) => `${rows === null ? plural(bytes, 'byte') : plural(rows, 'row')} to ${at}`,
    );
    return { ...words, state: 'done', about: `${laid.join(', ')}${late(missed)}` };
  });
}

function late(missed: number): string {
  return missed === 0 ? '' : `; ${plural(missed, 'earlier one')} missed`;
}

/** `2026-11-20 08:00 UTC` */
export function tellSlot({ slot }: Pick<DeliveryWords, 'slot'>): string {
  return slot === null ? 'asked for' : formatMinute(slot);
}

const DELIVERY_STATES: Readonly<Partial<Record<State, string>>> = { planned: 'due', done: 'delivered' };

export function tellDeliveryState(state: State): string {
  return DELIVERY_STATES[state] ?? STATES[state].name;
}

/** `3 records, as E1, E2` */
export function tellNearMisses({ records, examples }: NearMisses): string {
  return `${plural(records, 'record')}, as ${examples.join(', ')}`;
}

/** `to hr: 3 records`, for the headline. */
export function tellCounts(sources: ReadonlyMap<string, SourceTally>): readonly string[] {
  return [...sources].map(([source, { records }]) => `${plural(records, 'record')} to ${source}`);
}

/** `1 file`, `12 × PATCH /Users/{id}`: what telling a source takes; null where that is not known. */
export function tellCalls(report: Pick<Report, 'cost'>, source: string): string | null {
  const calls = Object.entries(report.cost?.sources?.[source] ?? {});
  if (calls.length === 0) return null;
  return calls.map(([call, count]) => (call === 'file' ? plural(count, 'file') : `${count} × ${call}`)).join(', ');
}

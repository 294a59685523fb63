import type { DeliveryResult, DueDelivery } from '../../model/delivery.js';
import { type Report, STATES, type State } from './report.js';
import { badge, code, prose, type ReportSection } from './section.js';
import { formatMinute, plural } from './words.js';

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
export function listDeliveryWords({ kind, plan, delivered }: Pick<Report, 'kind' | 'plan' | 'delivered'>) {
  return kind === 'plan' ? (plan?.deliveries ?? []).map(describeDue) : delivered.map(describeDelivered);
}

function describeDue({ report: name, of, slot, missed, calls }: DueDelivery): DeliveryWords {
  const sum = Object.values(calls).reduce((a, b) => a + b, 0);
  const about = `delivered by the next run: ${plural(sum, 'call')}${late(missed)}`;
  return { name, of, slot, state: 'planned', about };
}

export function describeDelivered({
  report: name,
  of,
  slot,
  status,
  missed,
  files,
  error,
}: DeliveryResult): DeliveryWords {
  const words = { name, of, slot };
  if (error !== undefined)
    return { ...words, state: 'failed', about: `${error.code}: ${error.message} ${error.remedy}${late(missed)}` };
  if (status === 'left') return { ...words, state: 'left', about: 'the call budget is spent; the next run goes on' };
  const laid = files.map(
    ({ at, rows, bytes }) => `${rows === null ? plural(bytes, 'byte') : plural(rows, 'row')} to ${at}`,
  );
  return { ...words, state: 'done', about: `${laid.join(', ')}${late(missed)}` };
}

function late(missed: number): string {
  return missed === 0 ? '' : `; ${plural(missed, 'earlier one')} missed`;
}

const DELIVERY_STATES: Readonly<Partial<Record<State, string>>> = { planned: 'due', done: 'delivered' };

/** Reports of the service: what is due, or how it went. */
export function listDeliveries(report: Pick<Report, 'kind' | 'plan' | 'delivered'>): ReportSection | null {
  const words = listDeliveryWords(report);
  if (words.length === 0) return null;
  return {
    id: 'reports',
    title: 'Reports of the service',
    short: 'Reports',
    blocks: [
      {
        kind: 'table',
        columns: ['Report', 'Of', 'Time', 'State', 'How'].map((name) => ({ name })),
        rows: words.map(({ name, of, slot, state, about }) => [
          code(name),
          prose(of),
          slot === null ? 'asked for' : formatMinute(slot),
          badge(DELIVERY_STATES[state] ?? STATES[state].name, STATES[state].tone),
          prose(about),
        ]),
      },
    ],
  };
}

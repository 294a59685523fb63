import type {
  DeliveryProblem,
  DeliveryResult,
  DocumentCounts,
  DueDelivery,
  DueDocuments,
} from '../../model/delivery.js';
import { type Report, STATES, type State } from './report.js';
import { badge, code, prose, type ReportSection } from './section.js';
import { formatMinute, formatSeconds, plural } from './words.js';

/** A due or finished delivery of a report or of documents, in words that every format uses. */
export interface DeliveryWords {
  /** `report people`, `documents cvs` */
  readonly title: string;
  readonly name: string;
  /** `cv technologies`, `reference`, `cv documents`. */
  readonly of: string;
  /** ISO 8601; null if a person requested the delivery, or if each run looks for changes. */
  readonly slot: string | null;
  readonly state: State;
  readonly about: string;
}

/** For a run, its deliveries; for a plan, the due deliveries. */
export function listDeliveryWords({ kind, plan, delivered }: Pick<Report, 'kind' | 'plan' | 'delivered'>) {
  return kind === 'plan' ? (plan?.deliveries ?? []).map(describeDue) : delivered.map(describeDelivered);
}

function describeDue({ report: name, of, slot, missed, calls, documents, error }: DueDelivery): DeliveryWords {
  const words = { title: titleOf(name, of), name, of, slot };
  if (error !== undefined) return { ...words, state: 'failed', about: problemText(error) };
  const sum = Object.values(calls).reduce((a, b) => a + b, 0);
  const what = documents === undefined ? '' : `${describeDueDocuments(documents)}, `;
  return {
    ...words,
    state: 'planned',
    about: `delivered by the next run: ${what}${plural(sum, 'call')}${late(missed)}`,
  };
}

/** `100 of 1000 documents due (10 min; all of them 100 min), 5 calls` */
function describeDueDocuments({ due, now, gone, seconds, secondsInAll }: DueDocuments): string {
  const all = now < due ? `; all of them ${formatSeconds(secondsInAll)}` : '';
  return [
    ...(due === 0 ? [] : [`${now} of ${plural(due, 'document')} due (${formatSeconds(seconds)}${all})`]),
    ...(gone === 0 ? [] : [`a check of ${plural(gone, 'record')} that may be gone`]),
  ].join(', ');
}

/** `report people (cv user_report)`, `documents cvs (cv documents)` */
export function titleOf(name: string, of: string): string {
  return `${of.endsWith(' documents') ? 'documents' : 'report'} ${name} (${of})`;
}

/** Adds a full stop if the message has none, because messages from a service often lack one. */
export function problemText({ code, message, remedy }: Omit<DeliveryProblem, 'place'>): string {
  return `${code}: ${/[.!?…]$/.test(message) ? message : `${message}.`} ${remedy}`;
}

export function describeDelivered({
  report: name,
  of,
  slot,
  status,
  missed,
  files,
  error,
  documents,
}: DeliveryResult): DeliveryWords {
  const words = { title: titleOf(name, of), name, of, slot };
  const done = documents === undefined ? '' : documentsText(documents);
  if (error !== undefined) {
    const before = done === '' ? '' : `${done}. `;
    return { ...words, state: 'failed', about: `${before}${problemText(error)}${late(missed)}` };
  }
  if (status === 'left') {
    const after = done === '' ? '' : `; ${done}`;
    return { ...words, state: 'left', about: `the call budget is spent; the next run continues${after}` };
  }
  if (documents !== undefined) return { ...words, state: 'done', about: `${done}${late(missed)}` };
  const laid = files.map(
    ({ at, rows, bytes }) => `${rows === null ? plural(bytes, 'byte') : plural(rows, 'row')} to ${at}`,
  );
  return { ...words, state: 'done', about: `${laid.join(', ')}${late(missed)}` };
}

/** `12 documents to /srv/cvs, 1 removed, 88 left for the next runs` */
function documentsText({ to, delivered, unchanged, removed, left, failed }: DocumentCounts): string {
  const others = [
    ...(unchanged > 0 ? [`${unchanged} fetched and unchanged`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(left > 0 ? [`${left} left for the next runs`] : []),
  ];
  return delivered > 0
    ? [`${plural(delivered, 'document')} to ${to}`, ...others].join(', ')
    : `${others.join(', ')}: ${to}`;
}

function late(missed: number): string {
  return missed === 0 ? '' : `; ${plural(missed, 'earlier one')} missed`;
}

const DELIVERY_STATES: Readonly<Partial<Record<State, string>>> = { planned: 'due', done: 'delivered' };

/** Deliveries of the service's reports and documents: those that are due, or their results. */
export function listDeliveries(report: Pick<Report, 'kind' | 'plan' | 'delivered'>): ReportSection | null {
  const words = listDeliveryWords(report);
  if (words.length === 0) return null;
  return {
    id: 'reports',
    title: 'Deliveries of the service',
    short: 'Deliveries',
    blocks: [
      {
        kind: 'table',
        columns: ['Delivery', 'Type', 'Time', 'State', 'Details'].map((name) => ({ name })),
        rows: words.map(({ name, of, slot, state, about }) => [
          code(name),
          prose(of),
          describeSlot(slot, of),
          badge(DELIVERY_STATES[state] ?? STATES[state].name, STATES[state].tone),
          prose(about),
        ]),
      },
    ],
  };
}

function describeSlot(slot: string | null, of: string): string {
  if (slot !== null) return formatMinute(slot);
  return of.endsWith(' documents') ? 'when changed' : 'on request';
}

import type { Explanation } from '../../explain.js';
import type { Json } from '../../model/json.js';
import { formatMinute } from '../sections/words.js';
import { showValue } from './values-text.js';

type WriteBackSteps = NonNullable<Explanation['steps']['write_back']>;

const LONGEST_VALUE = 90;

const FATES: Readonly<Record<WriteBackSteps['waiting'][number]['status'], string>> = {
  sending: 'begun',
  sent: 'sent',
  refused: 'refused',
  lost: 'sent, and it is not known whether it arrived,',
};

/** What the sources of an object would be told, and what they were told and do not show yet: lines, and how far they are in. */
export function listWriteBack({ told, waiting }: WriteBackSteps): readonly (readonly [indent: number, text: string])[] {
  const next = told.flatMap(({ source, record, cells, reason, withheld }): [number, string][] => [
    [0, `${source} ${record}: ${reason}`],
    ...cells.map(({ column, before, after, known }): [number, string] => [
      2,
      `${column}: ${show(before)} → ${known === 'now' ? show(after) : '(known after apply)'}`,
    ]),
    ...(withheld === null ? [] : [[2, `it waits for ${withheld.name}`] as [number, string]]),
  ]);
  const sent = waiting.map(({ source, record, column, value, status, at, times, message }): [number, string] => {
    const often = times > 1 ? `, ${times} times` : '';
    const why = message === null ? '' : `: ${message}`;
    return [0, `${source} ${record}: ${column} = ${show(value)}, ${FATES[status]} ${formatMinute(at)}${often}${why}`];
  });
  return next.length + sent.length === 0 ? [[0, 'nothing, and nothing is on its way']] : [...next, ...sent];
}

function show(value: Json): string {
  return value === null || value === '' ? '(empty)' : showValue(value, LONGEST_VALUE);
}

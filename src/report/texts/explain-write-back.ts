import type { Explanation } from '../../explain.js';
import type { Json } from '../../model/json.js';
import { formatMinute } from '../sections/words.js';
import type { TerminalLook } from '../writers/style.js';
import { fold } from '../writers/terminal-blocks.js';
import { showValue } from './values-text.js';

type WriteBackSteps = NonNullable<Explanation['steps']['write_back']>;

const LONGEST_VALUE = 90;

const FATES: Readonly<Record<WriteBackSteps['waiting'][number]['status'], string>> = {
  sending: 'begun',
  sent: 'sent',
  refused: 'refused',
  lost: 'sent, and it is not known whether it arrived,',
};

/** What would be written back to the sources of an object, and what was and is not shown by them yet. */
export function listWriteBack({ told, waiting }: WriteBackSteps, look: TerminalLook): readonly string[] {
  const next = told.flatMap(({ source, record, cells, reason, withheld }) => [
    ...fold(`${source} ${record}: ${reason}`, 0, look),
    ...cells.flatMap(({ column, before, after, known }) =>
      fold(`${column}: ${show(before)} → ${known === 'now' ? show(after) : '(known after apply)'}`, 2, look),
    ),
    ...(withheld === null ? [] : fold(`it waits for ${withheld.name}`, 2, look)),
  ]);
  const sent = waiting.flatMap(({ source, record, column, value, status, at, times, message }) => {
    const often = times > 1 ? `, ${times} times` : '';
    const why = message === null ? '' : `: ${message}`;
    const how = `${FATES[status]} ${formatMinute(at)}${often}${why}`;
    return fold(`${source} ${record}: ${column} = ${show(value)}, ${how}`, 0, look);
  });
  return next.length + sent.length === 0 ? ['nothing, and nothing is on its way'] : [...next, ...sent];
}

function show(value: Json): string {
  return value === null || value === '' ? '(empty)' : showValue(value, LONGEST_VALUE);
}

import { SyncError } from '../../base/errors.js';
import { adviseAmong } from '../../model/nearest.js';
import type { Answers } from './answers.js';
import { orderOfDays } from './guess-column.js';
import { MEANINGS, type Meaning } from './meanings.js';
import type { Sample } from './read-sample.js';

/**
 * Checks that every explicit answer can be used, and rejects the others with a reason.
 *
 * @throws SyncError SYNC_CLI_USAGE for an answer that does not fit the samples
 */
export function checkAnswers(samples: readonly Sample[], people: Sample | null, answers: Answers): void {
  const headers = samples.flatMap(({ columns, leftOut }) => [...columns, ...leftOut].map(({ name }) => name));
  for (const [meaning, header] of Object.entries(answers.columns)) {
    if (header !== '' && !headers.includes(header)) {
      throw unfit(
        '--column',
        `No sample has a column ${JSON.stringify(header)}.`,
        adviseAmong(header, headers, 'There are'),
      );
    }
    if (header !== '') checkColumn(samples, people, meaning as Meaning, header);
  }
  for (const name of Object.keys(answers.countries)) {
    if (samples.some(({ columns }) => columns.some(({ firstValues }) => firstValues.includes(name)))) continue;
    throw unfit(
      '--country',
      `No column contains ${JSON.stringify(name)}.`,
      'Write the name of the country as in the file.',
    );
  }
  if (people !== null) checkPeople(people, answers);
}

/**
 * Checks the column that the user named for a meaning. Customers and projects have files of their own, and dates must be
 * readable.
 */
function checkColumn(samples: readonly Sample[], people: Sample | null, meaning: Meaning, header: string): void {
  const { of, look } = MEANINGS[meaning];
  const meant = samples.filter((sample) => people === null || (sample === people) === (of === 'people'));
  const found = meant.flatMap(({ columns }) => columns.filter(({ name }) => name === header));
  if (found.length === 0) {
    const remedy = 'Leave it out, or name a file that has them with --people, --customers or --projects.';
    throw unfit('--column', `No file with ${of} has a column ${JSON.stringify(header)}.`, remedy);
  }
  const isDate = found.some(
    ({ looks, column }) => looks.date > 0.5 || ['date', 'datetime'].includes(column?.type ?? ''),
  );
  if (look !== 'date' || isDate || people?.interface !== undefined) return;
  throw unfit('--column', `${JSON.stringify(header)} has no dates.`, 'Name a column with dates.');
}

/** @throws SyncError SYNC_CLI_USAGE if every row has its own country, so that the given one is not used */
export function checkCountry(text: string, { country }: Answers): void {
  if (country === null || text.includes(JSON.stringify(country))) return;
  throw unfit('--country', 'A column has the country of every row, so this one is not used.', 'Leave --country out.');
}

function checkPeople(people: Sample, { columns, left, language, dates }: Answers): void {
  const named = (meaning: 'status' | 'title'): string | undefined => columns[meaning] ?? people.meanings[meaning];
  if (language !== null && named('title') === undefined && people.kind === 'people') {
    throw unfit(
      '--language',
      'No column has titles, so their language is not used.',
      'Name their column: --column title=HEADER.',
    );
  }
  const isOrdered = people.columns.some(
    ({ column, rival }) => rival !== null || (column !== null && orderOfDays(column) !== null),
  );
  if (dates !== null && !isOrdered) {
    throw unfit('--dates', 'No date in the file can be read in two orders.', 'Leave --dates out.');
  }
  const contrary = people.columns.find(
    ({ column, rival }) =>
      dates !== null &&
      column !== null &&
      rival === null &&
      orderOfDays(column) !== null &&
      orderOfDays(column) !== dates,
  );
  if (contrary !== undefined) {
    const shown = contrary.firstValues.find((text) => text !== '') ?? '';
    throw unfit(
      '--dates',
      `Dates in ${JSON.stringify(contrary.name)}, such as ${shown}, can only be read in the other order.`,
      'Leave --dates out.',
    );
  }
  if (left !== null && left.length > 0) checkLeft(people, named('status'), left);
}

function checkLeft(people: Sample, name: string | undefined, left: readonly string[]): void {
  const status = people.columns.find((column) => column.name === name);
  if (status === undefined) {
    throw unfit('--left', 'No column is known to say who has left.', 'Name it: --column status=HEADER.');
  }
  const words = status.firstValues.map((word) => word.toLowerCase());
  const lost = left.find((word) => !words.includes(word.toLowerCase()));
  if (lost === undefined) return;
  throw unfit(
    '--left',
    `${JSON.stringify(lost)} is not in ${JSON.stringify(status.name)}.`,
    adviseAmong(lost, status.firstValues.slice(0, 20), 'There are'),
  );
}

function unfit(place: string, message: string, remedy: string): SyncError {
  return new SyncError('SYNC_CLI_USAGE', { message, place, remedy });
}

import { basename } from 'node:path';
import { SyncError } from '../../base/errors.js';
import type { Answers } from './answers.js';
import type { Sample } from './read-sample.js';

/**
 * Finds the sample with the people; null if all samples are from a CRM or there are no samples.
 *
 * @throws SyncError if a sample has people without addresses, because the service finds people only by address
 */
export function choosePeople(samples: readonly Sample[], { files }: Answers): Sample | null {
  const named = samples.find(({ at }) => at === files.people);
  if (named !== undefined) return checkPeople(named);
  const [best] = samples.filter(({ kind }) => kind === 'people').sort((a, b) => b.scores.people - a.scores.people);
  if (best !== undefined) return checkPeople(best);
  const others = samples.filter(({ kind }) => kind === null);
  // A file with addresses but no names is better than none, unless some of the files are from a CRM.
  const addressed =
    others.length === samples.length ? others.find(({ meanings }) => meanings.email !== undefined) : undefined;
  if (addressed !== undefined) return checkPeople(addressed);
  const nameless = others.find(looksLikePeople) ?? (others.length === samples.length ? others[0] : undefined);
  if (nameless !== undefined) throw noPeopleError(nameless);
  return null;
}

function checkPeople(sample: Sample): Sample {
  if (sample.meanings.email === undefined) throw noPeopleError(sample);
  return sample;
}

/** True if a sample has names, and also a column that only files about colleagues have. */
function looksLikePeople({ meanings }: Sample): boolean {
  const { firstName, lastName, name, title, startDate, department } = meanings;
  if (firstName !== undefined && lastName !== undefined) return true;
  return name !== undefined && [title, startDate, department].some((column) => column !== undefined);
}

function noPeopleError({ at, columns, rows }: Sample): SyncError {
  if (rows === 0) {
    return new SyncError('SYNC_SOURCE_FORMAT', {
      message: `${basename(at)} has a header but no rows, so its columns cannot be recognised.`,
      place: at,
      remedy: 'Export it again, with some people in it.',
    });
  }
  return new SyncError('SYNC_SOURCE_FORMAT', {
    message: `No column of ${basename(at)} has e-mail addresses, which are needed to find people in the service.`,
    place: at,
    remedy: `Export the column with the work e-mail as well. If it is there, name it: --column email=HEADER, ${listHeaders(columns)}. If another file has the people: --people FILE. If these are customers or projects: --customers FILE or --projects FILE.`,
  });
}

/** Lists the first headers. A file may have hundreds. */
export function listHeaders(columns: Sample['columns']): string {
  const shown = columns.slice(0, 12).map(({ name }) => JSON.stringify(name));
  return `one of ${shown.join(', ')}${columns.length > shown.length ? ', …' : ''}`;
}

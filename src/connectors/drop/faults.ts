import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, SyncError } from '../../base/errors.js';
import { cleanLine } from '../../model/clean-text.js';

/** @param rest the time for which the file must still stay unchanged; absent if the file changed while it was being read */
export function refuseUnsettled(
  place: string,
  rest?: { readonly restMs: number; readonly settleMs: number },
): SyncError {
  const why =
    rest === undefined
      ? 'The file is still being written, or was replaced while it was read.'
      : `The sender may still be writing the file: it counts as complete once it has not changed for ${formatWait(rest.settleMs)} (\`settle\`), in ${formatWait(rest.restMs)} at the earliest.`;
  return new SyncError('SYNC_SOURCE_UNSETTLED', {
    message: why,
    place,
    remedy:
      'Wait for the next run. Senders should write under another name and rename the file at the end, or put an empty `<file>.done` next to it.',
  });
}

export function refuseUnreadable(place: string, error: unknown): SyncError {
  if (error instanceof SyncError) return error;
  return new SyncError('SYNC_SOURCE_UNREADABLE', {
    message: `It cannot be read: ${faultText(error)}.`,
    place,
    remedy: 'Give the user that runs talent-sync permission to read the folder and its files.',
    cause: error,
  });
}

export function refuseLink(place: string, why: 'leads out of the drop folder' | 'leads nowhere'): SyncError {
  return new SyncError('SYNC_SOURCE_LINK', {
    message: `The file is a link that ${why}. The source is not used.`,
    place,
    remedy:
      'Find out who put it there. Have the file itself delivered; if links are intended, set `follow_links: true` on the source.',
  });
}

/** @param use `source` if a source's own file is moved or deleted, `delivery` if a file is delivered */
export function refuseUnwritable(place: string, error: unknown, use: 'source' | 'delivery'): SyncError {
  if (error instanceof SyncError) return error;
  const known = UNWRITABLE.find(({ codes }) => codes.test(codeOf(error)));
  const file = codeOf(error) === 'ENOTDIR' ? findFileInPath(place) : null;
  const message =
    file === null
      ? `It cannot be written or moved: ${faultText(error)}.`
      : `${file} is a file, and a folder is needed.`;
  const { remedy } = known ?? {
    remedy: `${MAY_WRITE}${use === 'source' ? ' A source that is only read needs `after: leave` and no `rejects`.' : ''}`,
  };
  return new SyncError('SYNC_SOURCE_UNWRITABLE', { message, place, remedy, cause: error });
}

const MAY_WRITE = 'Give the user that runs talent-sync permission to write in the folder.';

interface Unwritable {
  /** The error codes of Node.js. SFTP servers report failures without such codes. */
  readonly codes: RegExp;
  readonly remedy: string;
}

const UNWRITABLE: readonly Unwritable[] = [
  { codes: /^(ENOSPC|EDQUOT)$/, remedy: 'Free space on its disk.' },
  {
    codes: /^ENOTDIR$/,
    remedy: 'Correct the path in the configuration, or replace that file by a folder.',
  },
];

/** The file in a path where a folder is needed; null if there is none on this machine. */
function findFileInPath(path: string): string | null {
  const folder = dirname(path);
  const above = folder === path ? null : findFileInPath(folder);
  if (above !== null) return above;
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function takenError(place: string): SyncError {
  return new SyncError('SYNC_SOURCE_UNWRITABLE', {
    message: 'A file with this name and other content exists; it is not replaced.',
    place,
    remedy: 'Find the owner of that file, and give `write_back` its own `name` or `drop`.',
  });
}

export function refuseNoFolder(place: string, error: unknown): SyncError {
  return new SyncError('SYNC_SOURCE_MISSING', {
    message: 'The drop folder does not exist.',
    place,
    remedy: 'Create the folder, mount it, or correct `drop` in the configuration.',
    cause: error,
  });
}

/** Cleans the message of an error, because messages from Node.js quote the path. */
function faultText(error: unknown): string {
  return cleanLine(messageOf(error));
}

/** The error for a file that parses but differs from the sender's announcement. Nothing in the file is used. */
export function refuseCut(place: string, problem: string): SyncError {
  return new SyncError('SYNC_SOURCE_CUT', {
    message: `The file differs from the one sent: ${problem}.`,
    place,
    remedy: 'Have it delivered again: most likely it was truncated in transfer.',
  });
}

/** Formats a duration such as `48 s` or `15 min`. */
export function formatWait(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

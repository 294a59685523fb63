import { SyncError } from '../base/errors.js';
import { parseDuration } from '../base/settings/duration.js';

/**
 * Converts a time to ISO 8601. Accepts `2026-11-20` (midnight UTC), `2026-11-20T08:00:00Z`, or a time before now such as
 * `7d`.
 *
 * @throws SyncError SYNC_CLI_USAGE
 */
export function parseMoment(text: string, option: string, nowMs: number): string {
  if (LENGTH.test(text)) return new Date(nowMs - parseDuration(text)).toISOString();
  return parseDate(text, option, 'how long ago');
}

/** Converts a future time to ISO 8601. A duration counts forward from now. */
export function parseComing(text: string, option: string, nowMs: number): string {
  const at = LENGTH.test(text)
    ? new Date(nowMs + parseDuration(text)).toISOString()
    : parseDate(text, option, 'for how long');
  if (Date.parse(at) > nowMs) return at;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `${text} has already passed.`,
    place: option,
    remedy: 'Name a time in the future.',
  });
}

const LENGTH = /^\d+(\.\d+)?(ms|s|m|h|d)$/;

function parseDate(text: string, option: string, length: string): string {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const time = Date.parse(isDay ? `${text}T00:00:00Z` : text);
  const isTime = isDay || /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  // `Date` would read 30 February as a day in March.
  if (!Number.isNaN(time) && isTime && (!isDay || new Date(time).toISOString().startsWith(text)))
    return new Date(time).toISOString();
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `"${text}" is not a time.`,
    place: option,
    remedy: `Write a day such as 2026-11-20, a time such as 2026-11-20T08:00:00Z, or ${length}, such as 7d or 12h.`,
  });
}

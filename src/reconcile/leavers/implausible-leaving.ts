import type { Candidate, Left } from '../../model/desired.js';
import { isAccount } from '../../model/entity.js';
import { canonicalJson } from '../../model/json.js';
import { sha256, shortenDigest } from '../../model/sha256.js';
import { holdRecord } from '../hold-record.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';

/** Nobody leaves this many years before a read in which they were active. */
const YEARS = 10;

/**
 * Holds a linked leaver if the leaving date cannot be right, because it is long before a read in which the person was
 * active, or before the person's first day. A base proves that such a read exists. The read was in this run or an
 * earlier one, so today is used as its date.
 *
 * @returns true if the leaver was held
 */
export function holdImplausible(
  { desired, linkedId, base }: Candidate,
  settings: EntitySettings,
  ports: ReconcilePorts,
): boolean {
  const { entity, key, left } = desired;
  if (
    left === undefined ||
    !isAccount(entity) ||
    linkedId === null ||
    base === null ||
    settings.placeholderDates === true
  )
    return false;
  const why = explainImplausible(left, ports.memory.dayOf(ports.memory.now));
  if (why === null) return false;
  const question = sha256(canonicalJson([entity, key, left.column, left.on]));
  if (ports.memory.resolution(question) === 'source') return false;
  holdRecord(
    desired,
    'SYNC_DATE_PLACEHOLDER',
    {
      reason: `The day of leaving in \`${left.column}\` is ${left.on}, ${why}. It looks like a mistake or a placeholder.`,
      remedy: `Correct the date in the source. If it is right, \`talent-sync holds resolve ${shortenDigest(question)} --take source\` lets the person leave.`,
      conflict: question,
    },
    ports,
  );
  return true;
}

function explainImplausible({ on, begins }: Left, today: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}/.test(on)) return null;
  const first = `${String(Number(today.slice(0, 4)) - YEARS).padStart(4, '0')}${today.slice(4)}`;
  if (on < first) return `more than ${YEARS} years before the last read in which the person was active`;
  return begins !== null && on < begins ? `before ${begins}, the person's first day` : null;
}

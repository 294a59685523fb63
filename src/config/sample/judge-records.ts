import { buildMappers, type Mapper } from '../../mapping/mapper.js';
import type { Desired } from '../../model/desired.js';
import { isLink, isSection } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { formatPlace } from '../../model/place.js';
import { describeSharedKey } from '../../model/shared-key.js';
import type { RejectedRow, SourceRecord } from '../../model/source.js';
import type { Config } from '../config.js';

/** Finds the records of one stream that a plan would hold, as far as the stream itself shows it. */
export interface RecordJudge {
  take(records: readonly SourceRecord[]): void;
  /** Must be called after the last record. */
  finish(): readonly RejectedRow[];
}

interface Seen {
  readonly preference: Desired['preference'];
  readonly records: SourceRecord[];
}

/**
 * Tries the mapping on each record. Rows of other sources count as unknown, so nothing that depends on them is judged. Only the
 * keys and the unique values of the records are stored.
 */
export function createRecordJudge(config: Config, stream: string, today: Date): RecordJudge {
  const mappers = Object.values(buildMappers(config)).filter(
    ({ entity, origins }) => origins.includes(stream) && !isLink(entity) && !isSection(entity),
  );
  const judges = mappers.map((mapper) => createEntityJudge(mapper, today));
  return {
    take: (records) => {
      for (const judge of judges) for (const record of records) judge.take(record);
    },
    finish: () => judges.flatMap((judge) => judge.finish()),
  };
}

function createEntityJudge(mapper: Mapper, today: Date) {
  const unknown = Object.fromEntries(mapper.enriching.map((source) => [source, 'unknown' as const]));
  const held: RejectedRow[] = [];
  const byKey = new Map<string, Seen>();
  const byValue = new Map<string, Claimant>();
  return {
    take: (record: SourceRecord): void => {
      const result = mapper.map(record, unknown, today);
      if (result.kind === 'held') {
        const { code, reason, remedy } = result.hold;
        held.push(rejectRecord(record, code, reason, remedy));
      }
      if (result.kind !== 'desired') return;
      const { desired } = result;
      remember(byKey, desired, record);
      if (!desired.leaver) held.push(...listClaimed(mapper, desired, record, byValue));
    },
    finish: (): readonly RejectedRow[] => [
      ...held,
      ...[...byKey].flatMap(([key, { records }]) => (records.length > 1 ? describeDuplicates(key, records) : [])),
    ],
  };
}

/**
 * Stores a row under its key. Among several rows with one key, the preferred row counts; without a preference, all of them are
 * held.
 */
function remember(byKey: Map<string, Seen>, { key, preference }: Desired, record: SourceRecord): void {
  const before = byKey.get(key);
  if (before === undefined) byKey.set(key, { preference, records: [record] });
  else if (before.preference === preference) before.records.push(record);
  else if (preference !== null && (before.preference === null || preference > before.preference)) {
    byKey.set(key, { preference, records: [record] });
  }
}

function describeDuplicates(key: string, records: readonly SourceRecord[]): readonly RejectedRow[] {
  const { code, reason, remedy } = describeSharedKey(
    key,
    records.map(({ place }) => place),
  );
  return records.map((record) => rejectRecord(record, code, reason, remedy));
}

interface Claimant {
  readonly key: string;
  readonly record: SourceRecord;
  isHeld: boolean;
}

/** Lists the values that must be unique in the service. If two people have the same e-mail address, both are held. */
function listClaimed(
  { entity }: Mapper,
  { key, values }: Desired,
  record: SourceRecord,
  byValue: Map<string, Claimant>,
): readonly RejectedRow[] {
  return Object.entries(FIELDS[entity]).flatMap(([name, field]) => {
    const value = values[name];
    if (field.unique !== true || typeof value !== 'string') return [];
    const claim = `${name} ${field.comparedAs === 'folded' ? value.toLowerCase() : value}`;
    const first = byValue.get(claim);
    if (first === undefined) byValue.set(claim, { key, record, isHeld: false });
    if (first === undefined || first.key === key) return [];
    const claimants = first.isHeld ? [record] : [first.record, record];
    first.isHeld = true;
    const where = [first.record, record].map(({ place }) => formatPlace(place)).join(' and ');
    const reason = `${name} "${value}" is in ${where}.`;
    return claimants.map((one) =>
      rejectRecord(one, 'SYNC_MATCH_CLAIMED', reason, 'Correct the value in one of the two rows.'),
    );
  });
}

function rejectRecord(record: SourceRecord, code: RejectedRow['code'], reason: string, remedy: string): RejectedRow {
  return { key: record.key, place: record.place, code, reason, remedy, raw: [] };
}

import type { Config } from '../config/config.js';
import { listFileStreams } from '../connectors/kinds.js';
import { createDayWriter } from '../model/date-in-zone.js';
import { sha256 } from '../model/sha256.js';
import type { MissingPeople, ReadEvidence } from '../model/source.js';
import { listStreams } from '../model/stream.js';
import type { Stores } from '../store/open-stores.js';
import type { StagedEntity } from './staging/stage-sources.js';

/** People who are missing since the same read. */
export interface MissingSince {
  /** ISO 8601: when the first run that missed them began. */
  readonly at: string;
  readonly count: number;
}

export interface MissingRules {
  readonly config: Pick<Config, 'sources' | 'timezone'>;
  readonly stores: Pick<Stores, 'history' | 'links' | 'departures' | 'work' | 'acknowledgements'>;
  /** ISO 8601. */
  readonly now: string;
}

/** The limit for a source that has no `shrink`. */
const USUAL_PERCENT = 20;
/** A smaller share of people goes missing on any ordinary day, and is not named separately. */
const DAILY_SHARE = 0.05;

/**
 * Adds to the read that decides existence the number of people whom it lacks and earlier reads have shown, if that
 * exceeds `shrink`. People who are back, or were deactivated, no longer count as missing.
 *
 * @param missing people who are missing and active, oldest first
 */
export function noteMissingPeople(
  staged: readonly StagedEntity[],
  missing: readonly MissingSince[],
  rules: MissingRules,
): readonly StagedEntity[] {
  if (missing.length === 0) return staged;
  return staged.map((one) => {
    const [read] = one.deciding;
    if (one.entity !== 'users' || one.deciding.length !== 1 || read === undefined || read.evidence === null) return one;
    const found = describeMissing(missing, read.evidence, rules);
    if (found === null) return one;
    return { ...one, deciding: [{ ...read, evidence: { ...read.evidence, missing: found } }] };
  });
}

function describeMissing(
  missing: readonly MissingSince[],
  evidence: ReadEvidence,
  rules: MissingRules,
): MissingPeople | null {
  const { config, stores, now } = rules;
  const { source } = evidence;
  const stream = listFileStreams(listStreams(config.sources)).find(({ name }) => name === source);
  const percent = stream?.config.rules.shrinkPercent ?? USUAL_PERCENT;
  const since = dropUsual(missing, percent, (from) => countSeen(from, source, stores));
  const [first] = since;
  if (first === undefined) return null;
  const seen = countSeen(since, source, stores);
  const seenAt = stores.history.completeReadBefore(source, first.at)?.readAt ?? null;
  const files = since
    .filter((step, index) => index === 0 || step.count >= seen * DAILY_SHARE)
    .map(({ at, count }) => ({ at: nameRead(at, evidence, rules), count }));
  const id = sha256(JSON.stringify([source, 'people missing', files.map(({ at }) => at)]));
  const count = countAll(since);
  const acknowledged = stores.acknowledgements.inForce(now).has(id);
  const found = { count, seen, seenAt, since: files };
  return { id, text: writeMissing(found, rules), ...found, ...(acknowledged ? { acknowledged } : {}) };
}

/** Starts with the first day on which an unusual number went missing; empty if all of them together are not too many. */
function dropUsual(
  missing: readonly MissingSince[],
  percent: number,
  seenOf: (from: readonly MissingSince[]) => number,
): readonly MissingSince[] {
  let known: readonly MissingSince[] = [];
  for (let from = 0; from < missing.length; from++) {
    const rest = missing.slice(from);
    const seen = seenOf(rest);
    if (countAll(rest) * 100 <= seen * percent) return known;
    if ((missing[from]?.count ?? 0) >= seen * DAILY_SHARE) return rest;
    known = rest;
  }
  return known;
}

/**
 * The number of people in the last read before these people went missing: the missing people, those who are still here,
 * and those deactivated since.
 */
function countSeen(
  missing: readonly MissingSince[],
  source: string,
  { work, links, departures }: MissingRules['stores'],
): number {
  const at = missing[0]?.at ?? '';
  const stillHere = Math.max(0, work.linkedPresent('users', source) - links.countSince('users', at));
  return countAll(missing) + stillHere + departures.countSince(at);
}

function countAll(missing: readonly MissingSince[]): number {
  return missing.reduce((sum, { count }) => sum + count, 0);
}

/** The read of a run that began at that time, worded for people. */
function nameRead(at: string, evidence: ReadEvidence, { config, stores, now }: MissingRules): string {
  const read = at === now ? evidence : stores.history.completeReadFrom(evidence.source, at);
  if (evidence.kind === 'drop' && read !== null) return `\`${read.at.replace(/^.*\//, '')}\``;
  return createDayWriter(config.timezone, now)(at);
}

/** Describes the finding, for example `288 of the 300 people seen on 3 November have been missing since ‘employees-002.csv’` */
function writeMissing(
  { count, seen, seenAt, since }: Omit<MissingPeople, 'id' | 'text'>,
  { config, now }: MissingRules,
): string {
  const [first, ...later] = since;
  const when = seenAt === null ? 'known' : `seen on ${createDayWriter(config.timezone, now)(seenAt)}`;
  const steps = later.map((step) => `, ${step.count} of them since ${step.at}`).join('');
  const are = count === 1 ? 'has been' : 'have been';
  return `${count} of the ${seen} people ${when} ${are} missing since ${first?.at ?? ''}${steps}`;
}

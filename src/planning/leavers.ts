import type { Config } from '../config/config.js';
import type { LeaverConfig } from '../config/entities/entity-schema.js';
import { kindOf } from '../connectors/kinds.js';
import { ENTITIES, type Entity, isAccount } from '../model/entity.js';
import { canonicalJson, type Json } from '../model/json.js';
import { listIdentities } from '../model/raw-text.js';
import { sha256 } from '../model/sha256.js';
import type { ReadEvidence } from '../model/source.js';
import { listStreams } from '../model/stream.js';
import { observeAbsence, observeLeaver, observeOutOfScope } from '../reconcile/leavers/absence.js';
import type { LeaverVerdict } from '../reconcile/ports.js';
import type { Stores } from '../store/open-stores.js';
import { type AbsenceBook, createAbsenceBook } from './absence-book.js';

/**
 * Decides which people have left and which objects are gone. Its observations are saved only on request, so a dry run
 * does not count.
 */
export interface Leavers extends Pick<AbsenceBook, 'toAsk' | 'proof' | 'missingPeople' | 'forget' | 'save'> {
  explicit(entity: Entity, key: string): LeaverVerdict;
  /** The verdict on a record whose row the source reports as deleted. */
  gone(entity: Entity, key: string, source: string): LeaverVerdict;
  absent(entity: Entity, key: string): LeaverVerdict;
  outOfScope(entity: Entity, key: string): LeaverVerdict;
}

const NEVER: LeaverConfig = { when: null, afterMissingReads: 0, missingIntervalMs: 0, graceMs: 0 };

/** @param evidenceOf the combined read that decides the existence of an entity; null if it was not read */
export function createLeavers(
  config: Config,
  stores: Stores,
  evidenceOf: (entity: Entity) => ReadEvidence | null,
  now: string,
): Leavers {
  const contexts = new Map(ENTITIES.map((entity) => [entity, digestOf(config, entity)] as const));
  const contextOf = (entity: Entity): string => contexts.get(entity) ?? '';
  const ruleOf = (entity: Entity): LeaverConfig => config.mappings[entity]?.leaver ?? NEVER;
  const scope = config.users?.outOfScope === 'deactivate' ? contextOf('users') : 'keep';
  const book = createAbsenceBook({ stores, evidenceOf, ruleOf, contextOf, scope, now });
  const unread = { due: false, text: 'the source was not read' };

  /** @param text the statement of the source, as text for people */
  function judgeSaid(entity: Entity, key: string, text: string): LeaverVerdict {
    return book.note(entity, key, observeLeaver(book.watch(entity, key), text, evidenceOf(entity)?.delivery ?? ''));
  }

  return {
    explicit(entity, key) {
      const source = isAccount(entity) ? (config.users?.existence ?? '') : (evidenceOf(entity)?.source ?? entity);
      return judgeSaid(entity, key, `${source} says so: ${ruleOf(entity).when ?? ''}`);
    },
    gone: (entity, key, source) => judgeSaid(entity, key, `deleted in ${source}`),
    absent(entity, key) {
      const evidence = evidenceOf(entity);
      if (evidence === null) return unread;
      const seenIn = findNamed(stores, entity, key);
      const proof =
        seenIn === null ? evidence : { ...evidence, complete: false, incompleteBecause: describeNamed(seenIn) };
      const observed = observeAbsence(book.watch(entity, key), proof);
      book.countDue(entity, observed);
      return book.note(entity, key, observed);
    },
    outOfScope(entity, key) {
      const evidence = evidenceOf(entity);
      if (evidence === null) return unread;
      const expression = config.mappings[entity]?.scope ?? '';
      return book.note(entity, key, observeOutOfScope(book.watch(entity, key), evidence, expression));
    },
    toAsk: book.toAsk,
    proof: book.proof,
    missingPeople: book.missingPeople,
    forget: book.forget,
    save: book.save,
  };
}

/** The place of a row that names the object of a link, cannot be used, and does not report a leaver (docs/engineering/decisions/0005). */
export function findNamed({ links, mirror, work }: Stores, entity: Entity, key: string): string | null {
  if (!work.isAnyUnusable(entity)) return null;
  const link = links.find(entity, key);
  const shown = link === null ? null : mirror.get(entity, link.serviceId);
  const identities = listIdentities(entity, key, [link?.base ?? null, shown?.values ?? null]);
  return work.findUnusable(entity, identities, 'leaving');
}

function describeNamed(place: string): string {
  return `the row at ${place} names it, but could not be used`;
}

function originsOf(mapping: NonNullable<Config['mappings'][Entity]>): readonly string[] {
  return 'existence' in mapping ? [mapping.existence] : mapping.from;
}

/** A counter starts again under another source, filter, scope or join, because missing records may have been filtered out. */
function digestOf(config: Config, entity: Entity): string {
  const mapping = config.mappings[entity];
  const origins = mapping === undefined ? [] : originsOf(mapping);
  const streams = listStreams(config.sources);
  const shapes = origins.map((origin): Json => {
    const stream = streams.find(({ name }) => name === origin);
    return stream === undefined ? null : [stream.type, ...kindOf(stream).describeAbsence(stream.config)];
  });
  const enrich = mapping !== undefined && 'enrich' in mapping ? mapping.enrich : {};
  const parts: Json = [[...origins], shapes, mapping?.scope ?? null, enrich as unknown as Json];
  return sha256(canonicalJson(parts));
}

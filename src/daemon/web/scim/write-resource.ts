import { randomUUID } from 'node:crypto';
import { limitResource } from '../../../connectors/scim-protocol/limit-resource.js';
import { readMemberIds } from '../../../connectors/scim-protocol/members.js';
import { applyPatch } from '../../../connectors/scim-protocol/patch.js';
import { findSent, readResource, requireObject } from '../../../connectors/scim-protocol/read-resource.js';
import { ScimError } from '../../../connectors/scim-protocol/scim-error.js';
import { canonicalJson, type Json, type JsonObject } from '../../../model/json.js';
import { sha256 } from '../../../model/sha256.js';
import { foldPushed, type PushRow } from '../../../store/state/push-store.js';
import { createGroupEdits, type GroupEdits } from './group-edits.js';
import { checkVersion, indexRow, keepKey, type ResourceKind, recordKey } from './kinds.js';
import type { PushContext } from './push-context.js';

/** A resource named by a request, with the version that the client expects (`If-Match`). */
export interface NamedResource {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly ifMatch: string | undefined;
}

/** @throws ScimError uniqueness if the resource exists already, because a client may repeat a POST whose response was lost */
export function createResource(
  kind: ResourceKind,
  sent: Json,
  context: PushContext,
  fresh = randomUUID() as string,
): PushRow {
  const { store, source, now } = context;
  const attributes = { ...kind.defaults, ...readResource(kind.type, sent) };
  return store.transaction(() => {
    limitResource(kind.type, null, attributes);
    refuseTwin(kind, attributes, null, context);
    const id = recallId(kind, attributes, context) ?? fresh;
    store.insert(source, kind.type.name, { id, attributes, created: now, ...indexRow(kind, attributes) });
    editsOf(kind, id, context)?.replace(sentMembers(sent));
    noteHere(kind, id, attributes, context);
    return findOne(kind, id, context);
  });
}

/** PUT. Removes everything that the client leaves out except the key, because the record would be lost without it. */
export function replaceResource(named: NamedResource, sent: Json, context: PushContext): PushRow {
  const { kind, id } = named;
  const said = readResource(kind.type, sent);
  return changeResource(named, context, ({ attributes }, edits) => {
    edits?.replace(sentMembers(sent));
    return kind.type.name === 'User' ? keepKey({ key: context.key, id }, attributes, said) : said;
  });
}

export function patchResource(named: NamedResource, sent: Json, context: PushContext): PushRow {
  return changeResource(named, context, ({ attributes }, edits) =>
    applyPatch(named.kind.type, attributes, sent, edits),
  );
}

/** Keeps the key of a deleted person, so that the next run knows that they have left. */
export function deleteResource({ kind, id, ifMatch }: NamedResource, context: PushContext): void {
  const { store, source, key, now } = context;
  store.transaction(() => {
    const row = findOne(kind, id, context);
    const { attributes } = row;
    checkVersion(kind, row, ifMatch, context);
    store.remove(source, kind.type.name, id);
    const recordedAs = kind.type.name === 'User' ? recordKey(key, id, attributes) : null;
    if (recordedAs !== null) store.noteGone(source, { keyColumn: key, key: recordedAs, id, at: now });
    if (recordedAs === id) store.noteGone(source, { keyColumn: ORIGIN, key: originOf(kind, attributes), id, at: now });
  });
}

export function findOne(kind: ResourceKind, id: string, { store, source }: PushContext): PushRow {
  const [row] = store.find(source, kind.type.name, 'id', id);
  if (row === undefined) throw new ScimError(404, `There is no ${kind.type.name} with that id.`);
  return row;
}

/**
 * Reads, changes and writes in one transaction. An unchanged resource is not written and keeps its version. `active` stays
 * unchanged if the client leaves it out or removes it, so only a client that sends `true` reactivates someone.
 */
function changeResource(
  { kind, id, ifMatch }: NamedResource,
  context: PushContext,
  change: (before: PushRow, edits: GroupEdits | null) => JsonObject,
): PushRow {
  const { store, source, now } = context;
  return store.transaction(() => {
    const before = findOne(kind, id, context);
    checkVersion(kind, before, ifMatch, context);
    const edits = editsOf(kind, id, context);
    const { active } = before.attributes;
    const attributes = { ...(active === undefined ? {} : { active }), ...change(before, edits) };
    const isSame = canonicalJson(attributes) === canonicalJson(before.attributes);
    if (isSame && edits?.hasChanged() !== true) return before;
    limitResource(kind.type, before.attributes, attributes);
    refuseTwin(kind, attributes, id, context);
    store.update(source, kind.type.name, { id, attributes, modified: now, ...indexRow(kind, attributes) });
    noteHere(kind, id, attributes, context);
    return findOne(kind, id, context);
  });
}

function editsOf(kind: ResourceKind, id: string, { store, source }: PushContext): GroupEdits | null {
  return kind.type.name === 'Group' ? createGroupEdits(store, source, id) : null;
}

function sentMembers(sent: Json): readonly string[] {
  return readMemberIds(findSent(requireObject(sent), 'members') ?? null);
}

/** Rejects a duplicate. Searches by name only, because no two people may have the same userName, regardless of case. */
function refuseTwin(
  kind: ResourceKind,
  attributes: JsonObject,
  id: string | null,
  { store, source }: PushContext,
): void {
  const { nameKey } = indexRow(kind, attributes);
  const others = store.findHeads(source, kind.type.name, 'name', nameKey).filter((row) => row.id !== id);
  if (!others.some((other) => kind.isTwin(attributes, other))) return;
  throw new ScimError(409, `A ${kind.type.name} with that name already exists.`, 'uniqueness');
}

/**
 * Where ids are the keys of records, a deleted person who is pushed again gets the old id. Otherwise two records would
 * claim one account. The same userName and externalId mean the same person. Only a digest of the two is stored.
 */
const ORIGIN = 'origin of id';

function originOf(kind: ResourceKind, { externalId, ...attributes }: JsonObject): string {
  const names: Json = [foldPushed(kind.nameOf(attributes)), externalId ?? null];
  return sha256(canonicalJson(names), 'base64url');
}

function recallId(kind: ResourceKind, attributes: JsonObject, { store, source, key }: PushContext): string | null {
  if (kind.type.name !== 'User' || key !== 'id') return null;
  const origin = originOf(kind, attributes);
  const id = store.findGone(source, ORIGIN, origin);
  if (id !== null) store.noteBack(source, ORIGIN, origin);
  return id;
}

/** Notes that a person with this key exists again. */
function noteHere(kind: ResourceKind, id: string, attributes: JsonObject, { store, source, key }: PushContext): void {
  const recordedAs = kind.type.name === 'User' ? recordKey(key, id, attributes) : null;
  if (recordedAs !== null) store.noteBack(source, key, recordedAs);
}

import { isJsonObject, type Json, type JsonObject, objectOf } from '../../model/json.js';
import { defineAny, findPart, isCustom, isKept, limitCustom, locateNewCustom, nameIn } from './custom-extension.js';
import { type MemberEdits, readMemberIds } from './members.js';
import { type PatchPath, parsePatchPath } from './parse-filter.js';
import { type PatchOp, patchValue } from './patch-value.js';
import { checkMessage, findSent, isKeptElsewhere, requireNamed, requireObject, wordOf } from './read-resource.js';
import { type AttributePath, findPath, type ResourceType } from './resource-type.js';
import { invalidPath, invalidSyntax, invalidValue, ScimError } from './scim-error.js';

/** The maximum number of operations in one request. Each key of an operation without a path counts as one operation. */
const MOST_OPERATIONS = 1_000;
/**
 * The maximum number of characters in all paths together, because their filters are tested on each element, and the
 * maximum number of elements in sent lists.
 */
const MOST_PATH_CHARACTERS = 64 * 1024;
const MOST_ELEMENTS = 2_000;

interface Operation {
  readonly op: PatchOp;
  readonly path: string | null;
  readonly value: Json | undefined;
}

/**
 * Applies a PATCH (RFC 7644, 3.5.2) as clients send it: with `op` in any case, and with paths as the keys of operations
 * without a path (`name.familyName`, a URN, `emails[type eq "work"].value`).
 *
 * | named by a path of its own   | among the keys of an operation without one | →               |
 * |------------------------------|--------------------------------------------|-----------------|
 * | unknown                      |                                            | 400 invalidPath |
 * |                              | unknown                                    | ignored         |
 * | read-only                    |                                            | 400 mutability  |
 * |                              | read-only (`id`, `schemas`)                | ignored         |
 *
 * @param members receives the changes to a group's members; null for a type without members
 * @returns the resource afterwards; the given one stays unchanged
 */
export function applyPatch(
  type: ResourceType,
  resource: JsonObject,
  sent: Json,
  members: MemberEdits | null,
): JsonObject {
  const scope: PatchScope = { type, members };
  let draft = resource;
  for (const { op, path, value } of readOperations(sent)) {
    if (path !== null) {
      draft = applyAt(scope, draft, { op, text: path, value, isNamed: true });
      continue;
    }
    if (op === 'remove') throw new ScimError(400, 'A remove needs a path.', 'noTarget');
    if (!isJsonObject(value)) throw invalidValue('An operation without a path needs an object as its value.');
    for (const [text, item] of Object.entries(value))
      draft = applyAt(scope, draft, { op, text, value: item, isNamed: false });
  }
  requireNamed(type, draft);
  limitCustom(type, draft);
  return draft;
}

function readOperations(sent: Json): readonly Operation[] {
  const body = requireObject(sent);
  checkMessage(body, 'PatchOp');
  const list = findSent(body, 'Operations');
  // An empty list is accepted, because Entra ID's validator sends one.
  if (!Array.isArray(list)) throw invalidSyntax('A PATCH needs a list of Operations.');
  if (list.length > MOST_OPERATIONS) throw new ScimError(413, `A PATCH has at most ${MOST_OPERATIONS} operations.`);
  const operations = (list as readonly Json[]).map(readOperation);
  limitOperations(operations);
  return operations;
}

/** Limits the operations of a request. Each operation is small, but together they must not delay other requests. */
function limitOperations(operations: readonly Operation[]): void {
  let [paths, characters, elements] = [0, 0, 0];
  const note = (path: string, value: Json | undefined): void => {
    paths++;
    characters += path.length;
    // Members are stored in separate rows and counted there.
    if (Array.isArray(value) && !/^members\b/i.test(path)) elements += value.length;
  };
  for (const { path, value } of operations) {
    if (path !== null) note(path, value);
    else if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) note(key, item);
  }
  if (paths > MOST_OPERATIONS) throw new ScimError(413, `A PATCH changes at most ${MOST_OPERATIONS} attributes.`);
  if (characters > MOST_PATH_CHARACTERS)
    throw new ScimError(413, `The paths of a PATCH have at most ${MOST_PATH_CHARACTERS} characters.`);
  if (elements > MOST_ELEMENTS)
    throw new ScimError(413, `The lists of a PATCH have at most ${MOST_ELEMENTS} elements.`);
}

function readOperation(sent: Json): Operation {
  const operation = requireObject(sent);
  const op = wordOf(findSent(operation, 'op'));
  if (op !== 'add' && op !== 'replace' && op !== 'remove') throw invalidSyntax('op is one of add, replace and remove.');
  const path = findSent(operation, 'path');
  const value = findSent(operation, 'value');
  if (path === undefined || path === null || path === '') return { op, path: null, value };
  if (typeof path !== 'string') throw invalidPath('path is a text.');
  if (op !== 'remove' && value === undefined) throw invalidValue(`An operation with op ${op} needs a value.`);
  return { op, path, value };
}

/** The scope of a PATCH: the type, and the members if they are stored in separate rows. */
interface PatchScope {
  readonly type: ResourceType;
  readonly members: MemberEdits | null;
}

/** One operation on one path. */
interface PathEdit {
  readonly op: PatchOp;
  readonly text: string;
  readonly value: Json | undefined;
  /** True if the client wrote the path itself, so that an unknown path is an error. */
  readonly isNamed: boolean;
}

function applyAt(scope: PatchScope, resource: JsonObject, edit: PathEdit): JsonObject {
  const { op, value } = edit;
  const target = readTarget(scope.type, resource, edit);
  if (target === null) return resource;
  const { at, filter } = target;
  const { extension, attribute, sub } = at;
  if (attribute === null) {
    return extension === null
      ? resource
      : withPart(resource, extension.id, patchAll(scope, extension.id, resource, edit));
  }
  if (isOurs(target, edit)) return resource;
  if (isKeptElsewhere(attribute)) {
    if (scope.members !== null) editMembers(scope.members, op, target, value);
    return resource;
  }
  if (op === 'remove' && attribute.required)
    throw new ScimError(400, `${attribute.name} is required and cannot be removed.`, 'mutability');
  const holder = extension === null ? resource : (resource[extension.id] ?? {});
  if (!isJsonObject(holder)) return resource;
  const patched = patchValue(holder[attribute.name], { attribute, filter, sub }, op, value ?? null);
  const changed = withPart(holder, attribute.name, patched);
  return extension === null ? changed : withPart(resource, extension.id, changed);
}

/**
 * True for attributes that a PATCH does not change, because they are never shown, derived, or read-only.
 *
 * @throws ScimError mutability if the client names a read-only attribute
 */
function isOurs({ at: { attribute, sub } }: FilteredPath, { isNamed }: PathEdit): boolean {
  const parts = [attribute, sub].filter((part) => part !== null);
  // The schemas are derived from the content.
  if (attribute?.name === 'schemas' || parts.some(({ returned }) => returned === 'never')) return true;
  if (!parts.some(({ mutability }) => mutability === 'readOnly')) return false;
  if (!isNamed) return true;
  throw new ScimError(400, `${parts.at(-1)?.name} is read-only.`, 'mutability');
}

/** Changes an entire extension, one part at a time. */
function patchAll(scope: PatchScope, urn: string, resource: JsonObject, { op, value }: PathEdit): Json | undefined {
  if (op === 'remove') return undefined;
  if (value === null || value === undefined) return op === 'replace' ? undefined : resource[urn];
  if (!isJsonObject(value)) throw invalidValue(`${urn} is an object.`);
  if (isCustom(scope.type, urn)) return patchCustom(resource[urn], op, value);
  let draft = resource;
  for (const [key, item] of Object.entries(value)) {
    // Some clients repeat the URN before each key.
    const text = key.toLowerCase().startsWith('urn:') ? key : `${urn}:${key}`;
    draft = applyAt({ ...scope, members: null }, draft, { op, text, value: item, isNamed: false });
  }
  return draft[urn];
}

/** Changes an extension without a known schema, one part at a time. */
function patchCustom(before: Json | undefined, op: PatchOp, sent: JsonObject): Json {
  let draft: JsonObject = objectOf(before);
  for (const [key, item] of Object.entries(sent)) {
    const name = nameIn(draft, key);
    const attribute = defineAny(name, Array.isArray(item) || Array.isArray(draft[name]));
    if (isKept(key))
      draft = withPart(draft, name, patchValue(draft[name], { attribute, filter: null, sub: null }, op, item));
  }
  return draft;
}

interface FilteredPath {
  readonly at: AttributePath;
  readonly filter: PatchPath['filter'];
}

function readTarget(type: ResourceType, resource: JsonObject, { text, value, isNamed }: PathEdit): FilteredPath | null {
  const parsed = tryParse(type, text, isNamed);
  const at = parsed === null ? null : findAt(type, resource, parsed, value);
  if (parsed === null || at === null) {
    if (!isNamed) return null;
    throw invalidPath('The path names no attribute of this resource.');
  }
  if (parsed.filter === null) return { at, filter: null };
  const { attribute } = at;
  const isList = attribute?.multiValued === true && (attribute.type === 'complex' || attribute.type === 'any');
  if (attribute === null || !isList || at.sub !== null)
    throw invalidPath('Only lists of values can be filtered with [ ].');
  const sub = parsed.sub === null ? null : findPart(attribute, parsed.sub);
  if (parsed.sub !== null && sub === null) throw invalidPath(`${attribute.name} has no part of that name.`);
  return { at: { ...at, sub }, filter: parsed.filter };
}

function findAt(
  type: ResourceType,
  resource: JsonObject,
  { path, filter }: PatchPath,
  value: Json | undefined,
): AttributePath | null {
  if (!isCustom(type, path)) return findPath(type, path);
  // With a filter, the value belongs to an element.
  return locateNewCustom(resource, path, filter === null ? value : []);
}

/** Treats a key that cannot be a path as an unknown name, unless it looks like a known name. */
function tryParse(type: ResourceType, text: string, isNamed: boolean): PatchPath | null {
  try {
    return parsePatchPath(text);
  } catch (error) {
    findPath(type, text);
    if (isNamed) throw error;
    return null;
  }
}

/** Without a value, the part is removed; an extension without parts is removed too. */
function withPart(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  const { [name]: _before, ...rest } = object;
  const isEmpty = value === undefined || (isJsonObject(value) && Object.keys(value).length === 0);
  return isEmpty ? rest : { ...object, [name]: value };
}

function editMembers(members: MemberEdits, op: PatchOp, { at, filter }: FilteredPath, value: Json | undefined): void {
  const isChange = at.sub !== null || (filter !== null && op !== 'remove');
  if (isChange) throw new ScimError(400, 'A member cannot be changed: add or remove it.', 'mutability');
  const isAll = op === 'remove' && (value === undefined || value === null);
  if (filter !== null) members.removeMatching(filter);
  else if (isAll) members.replace([]);
  else members[op](readMemberIds(value ?? null));
}

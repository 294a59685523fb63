import { isJsonObject, type Json, type JsonObject, objectOf } from '../model/json.js';
import { isCustom, locateCustom } from './custom-extension.js';
import type { AttributePath, ResourceType } from './resource-type.js';
import { findPath } from './resource-type.js';

/** Which attributes an answer has: `attributes` and `excludedAttributes` (RFC 7644, 3.9), as names or lists of them. */
export interface Projection {
  readonly attributes: readonly string[];
  readonly excluded: readonly string[];
}

export const EVERYTHING: Projection = { attributes: [], excluded: [] };

export type Project = (resource: JsonObject) => JsonObject;

/** Names that no schema knows ask for nothing. What is always returned is returned whatever is asked. */
export function compileProjection(type: ResourceType, { attributes, excluded }: Projection): Project {
  if (attributes.length === 0 && excluded.length === 0) return (resource) => resource;
  const wanted = compilePaths(type, attributes);
  const unwanted = compilePaths(type, excluded);
  return (resource) => {
    const chosen = attributes.length === 0 ? resource : pickPaths(resource, wanted(resource));
    return unwanted(resource)
      .filter(({ attribute }) => attribute?.returned !== 'always')
      .reduce(dropPath, chosen);
  };
}

/** Whether an answer has an attribute at all: what nobody asks for need not be read. */
export function isAsked(type: ResourceType, { attributes, excluded }: Projection, name: string): boolean {
  const names = (path: AttributePath): boolean => path.extension === null && path.attribute?.name === name;
  if (attributes.length > 0 && !findAll(type, attributes).some(names)) return false;
  return !findAll(type, excluded).some((path) => names(path) && path.sub === null);
}

/** What is under a URN that no schema knows is found in each resource again. */
function compilePaths(
  type: ResourceType,
  texts: readonly string[],
): (resource: JsonObject) => readonly AttributePath[] {
  const known = findAll(type, texts);
  const custom = texts.filter((text) => isCustom(type, text));
  if (custom.length === 0) return () => known;
  return (resource) => [...known, ...custom.flatMap((text) => locateCustom(resource, text) ?? [])];
}

function findAll(type: ResourceType, texts: readonly string[]): readonly AttributePath[] {
  return texts.flatMap((text) => findPath(type, text) ?? []);
}

function pickPaths(resource: JsonObject, paths: readonly AttributePath[]): JsonObject {
  let picked: JsonObject = {};
  for (const name of ['schemas', 'id']) {
    const value = resource[name];
    if (value !== undefined) picked = { ...picked, [name]: value };
  }
  for (const path of paths) picked = pickPath(picked, resource, path);
  return picked;
}

function pickPath(picked: JsonObject, resource: JsonObject, { extension, attribute, sub }: AttributePath): JsonObject {
  const name = extension?.id ?? attribute?.name ?? '';
  const value = resource[name];
  if (value === undefined) return picked;
  if (extension !== null && attribute !== null) {
    if (!isJsonObject(value)) return picked;
    const before = picked[name];
    const inside = pickPath(objectOf(before), value, { extension: null, attribute, sub });
    return Object.keys(inside).length === 0 ? picked : { ...picked, [name]: inside };
  }
  if (sub === null) return { ...picked, [name]: value };
  const before = picked[name];
  const chosen = mapItems(value, (item, index) => {
    const already = Array.isArray(before) ? (before[index] as Json | undefined) : before;
    const part = item[sub.name];
    return { ...objectOf(already), ...(part === undefined ? {} : { [sub.name]: part }) };
  });
  return { ...picked, [name]: chosen };
}

function dropPath(resource: JsonObject, { extension, attribute, sub }: AttributePath): JsonObject {
  const name = extension?.id ?? attribute?.name ?? '';
  const value = resource[name];
  if (value === undefined) return resource;
  const { [name]: _dropped, ...rest } = resource;
  if (extension !== null && attribute !== null) {
    if (!isJsonObject(value)) return resource;
    const inside = dropPath(value, { extension: null, attribute, sub });
    return Object.keys(inside).length === 0 ? rest : { ...resource, [name]: inside };
  }
  if (sub === null) return rest;
  return {
    ...resource,
    [name]: mapItems(value, (item) => {
      const { [sub.name]: _part, ...others } = item;
      return others;
    }),
  };
}

function mapItems(value: Json, change: (item: JsonObject, index: number) => JsonObject): Json {
  if (!Array.isArray(value)) return isJsonObject(value) ? change(value, 0) : value;
  return (value as readonly Json[]).map((item, index) => (isJsonObject(item) ? change(item, index) : item));
}

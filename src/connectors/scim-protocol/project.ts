import { isJsonObject, type Json, type JsonObject, objectOf } from '../../model/json.js';
import { isCustom, locateCustom } from './custom-extension.js';
import { type AttributePath, findPath, type ResourceType } from './resource-type.js';

/** The attributes of a response: `attributes` and `excludedAttributes` (RFC 7644, 3.9), as names or lists of names. */
export interface Projection {
  readonly attributes: readonly string[];
  readonly excluded: readonly string[];
}

export type Project = (resource: JsonObject) => JsonObject;

/** Compiles a projection. Unknown names select nothing. Attributes that are always returned stay in every response. */
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

/** True if a response contains the attribute. An attribute that is not requested need not be read. */
export function isAsked(type: ResourceType, { attributes, excluded }: Projection, name: string): boolean {
  const names = (path: AttributePath): boolean => path.extension === null && path.attribute?.name === name;
  if (attributes.length > 0 && !findAll(type, attributes).some(names)) return false;
  return !findAll(type, excluded).some((path) => names(path) && path.sub === null);
}

/** Compiles the paths of attributes. A path with an unknown schema is located in each resource. */
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
  const always = Object.entries(resource).filter(([name]) => name === 'schemas' || name === 'id');
  return paths.reduce((picked, path) => pickPath(picked, resource, path), Object.fromEntries(always) as JsonObject);
}

function pickPath(picked: JsonObject, resource: JsonObject, { extension, attribute, sub }: AttributePath): JsonObject {
  const name = extension?.id ?? attribute?.name ?? '';
  const value = resource[name];
  if (value === undefined) return picked;
  if (extension !== null && attribute !== null) {
    if (!isJsonObject(value)) return picked;
    const inside = pickPath(objectOf(picked[name]), value, { extension: null, attribute, sub });
    return Object.keys(inside).length === 0 ? picked : { ...picked, [name]: inside };
  }
  if (sub === null) return { ...picked, [name]: value };
  const before = picked[name];
  const chosen = mapItems(value, (item, index) => {
    const already = objectOf(Array.isArray(before) ? (before[index] as Json | undefined) : before);
    return item[sub.name] === undefined ? already : { ...already, [sub.name]: item[sub.name] ?? null };
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

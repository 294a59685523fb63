import { isJsonObject, type Json, type JsonObject, listOf, objectOf } from '../../model/json.js';
import { type Attribute, findNamed } from './attributes.js';
import { isCustom } from './custom-extension.js';
import type { ResourceType } from './resource-type.js';
import { COMMON } from './schemas.js';
import { invalidValue, type ScimError } from './scim-error.js';

/** The maximum number of bytes in one attribute and in a resource. The members of a group are counted separately. */
const LARGEST_ATTRIBUTE = 64 * 1024;
const LARGEST_RESOURCE = 256 * 1024;
/**
 * The growth allowed for a resource that exceeded the limit before the limit existed, so that it can still be changed,
 * as from `true` to `false`.
 */
const SLACK = 1024;

/** Match control characters and halves of surrogate pairs. A multi-line text may contain line breaks and tabs. */
const UNFIT = /[\p{Cs}\p{Cc}]/u;
const UNFIT_IN_TEXT = /\p{Cs}|[^\P{Cc}\t\n\r]/u;

interface ResourcePart {
  readonly path: string;
  readonly attribute: Attribute | null;
  readonly value: Json;
}

/**
 * Checks new values of a resource against the limits. Older values that exceed the limits stay, so that they can be
 * removed and other parts of the resource can be changed.
 *
 * @param before null for a new resource
 * @throws ScimError invalidValue, with the path of the attribute
 */
export function limitResource(type: ResourceType, before: JsonObject | null, after: JsonObject): void {
  const old = new Map(listParts(type, before ?? {}).map(({ path, value }) => [path, value]));
  for (const { path, attribute, value } of listParts(type, after)) {
    const was = old.get(path);
    if (was === value || (was !== undefined && JSON.stringify(was) === JSON.stringify(value))) continue;
    if (UNFIT.test(path)) throw limitError(path, 'has a control character or half a character in its name');
    if (sizeOf(value) > LARGEST_ATTRIBUTE) throw limitError(path, `has more than ${LARGEST_ATTRIBUTE} bytes`);
    checkTexts(path, value, attribute);
  }
  const size = sizeOf(after);
  const was = before === null ? 0 : sizeOf(before);
  if (size <= LARGEST_RESOURCE || (was > LARGEST_RESOURCE && size <= was + SLACK)) return;
  throw invalidValue(`The resource has more than ${LARGEST_RESOURCE} bytes.`);
}

/** Lists the attributes of a resource, with each attribute of an extension separately. */
function listParts(type: ResourceType, resource: JsonObject): readonly ResourcePart[] {
  return Object.entries(resource).flatMap(([name, value]): readonly ResourcePart[] => {
    const schema = type.extensions.find(({ id }) => id === name);
    if ((schema === undefined && !isCustom(type, name)) || !isJsonObject(value))
      return [{ path: name, attribute: findNamed([...COMMON, ...type.schema.attributes], name), value }];
    return Object.entries(value).map(([inner, part]) => ({
      path: `${name}:${inner}`,
      attribute: findNamed(schema?.attributes ?? [], inner),
      value: part,
    }));
  });
}

function checkTexts(path: string, value: Json, attribute: Attribute | null): void {
  if (typeof value === 'string') {
    if ((isOneLine(attribute) ? UNFIT : UNFIT_IN_TEXT).test(value))
      throw limitError(path, 'has a control character or half a character in it');
    return;
  }
  for (const item of listOf(value)) checkTexts(path, item, attribute);
  for (const [name, part] of Object.entries(objectOf(value))) {
    const inner = `${path}.${name}`;
    if (UNFIT.test(name)) throw limitError(path, 'has a name with a control character in it');
    checkTexts(inner, part, attribute?.name === 'emails' ? attribute : findNamed(attribute?.subAttributes ?? [], name));
  }
}

/** True for attributes that identify someone, because a line break would split their value. */
function isOneLine(attribute: Attribute | null): boolean {
  return attribute !== null && (attribute.required || attribute.caseExact || attribute.name === 'emails');
}

function sizeOf(value: Json): number {
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
}

function limitError(path: string, fault: string): ScimError {
  // The path may contain a URN that a client made up.
  const shown = path.replace(/[\p{Cs}\p{Cc}]/gu, '?').slice(0, 200);
  return invalidValue(`${shown} ${fault}.`);
}

import { isJsonObject } from '../../model/json.js';
import type { CodeMode } from '../fields/languages.js';
import { refuse } from '../fields/refusal.js';
import {
  listPartTypes,
  PARTS,
  type PartKind,
  type PartType,
  SECTIONS,
  type SectionName,
} from '../fields/section-kinds.js';
import { mergeTextFields } from '../fields/text-fields.js';
import { type Body, checkInteger, readBoolean, readString } from '../fields/values.js';
import type { PartDocument, SectionDocument } from '../store/cv-documents.js';
import { createId } from '../store/store.js';

function buildItem(now: number, order: number) {
  return {
    id: createId(),
    texts: {},
    strings: {},
    order,
    starred: false,
    disabled: false,
    created_at: now,
    updated_at: now,
  };
}

export function buildSection(now: number, order: number): SectionDocument {
  return {
    ...buildItem(now, order),
    parts: {},
    version: 1,
    external_unique_id: null,
    owner_updated_at: null,
    recently_added: false,
  };
}

export function buildPart(now: number, order: number): PartDocument {
  return { ...buildItem(now, order), numbers: {}, version: 0, cv_role_id: null, modifier_id: null };
}

/** The body of a call and the time of the change. */
export interface Sent {
  readonly body: Body;
  readonly mode: CodeMode;
  readonly now: number;
}

export function mergeSectionBody(before: SectionDocument, type: SectionName, sent: Sent): SectionDocument {
  const { body, mode } = sent;
  const fields = mergeTextFields(before, SECTIONS[type], body, mode);
  const external = readString(body, 'external_unique_id');
  return {
    ...before,
    ...fields,
    parts: mergeParts(before, type, sent),
    ...readItem(before, body),
    external_unique_id: external === undefined ? before.external_unique_id : external,
    ...(type === 'technologies'
      ? { uncategorized: readBoolean(body, 'uncategorized') ?? before.uncategorized ?? false }
      : {}),
    ...(type === 'project_experiences' ? readExcludeTags(body) : {}),
  };
}

function readItem(before: SectionDocument | PartDocument, body: Body) {
  return {
    starred: readBoolean(body, 'starred') ?? before.starred,
    disabled: readBoolean(body, 'disabled') ?? before.disabled,
    order: readOrder(body) ?? before.order,
  };
}

/** Reads the order, which may be any integer (spec, CV sections, order). */
function readOrder({ order }: Body): number | undefined {
  if (order === undefined || order === null) return undefined;
  const number = typeof order === 'string' && /^-?\d+$/.test(order) ? Number(order) : order;
  return Number.isSafeInteger(number) ? (number as number) : refuse(422, 'order must be an integer');
}

function readExcludeTags({ exclude_tags: value }: Body): Pick<SectionDocument, 'exclude_tags'> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'boolean') return { exclude_tags: value };
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return { exclude_tags: value };
  return refuse(422, 'exclude_tags must be true, false or a list of strings');
}

/** Merges lists in the section's body. A list is replaced completely; entries with an `_id` keep their id. */
function mergeParts(before: SectionDocument, type: SectionName, sent: Sent): SectionDocument['parts'] {
  const parts: Partial<Record<PartType, readonly PartDocument[]>> = { ...before.parts };
  for (const name of listPartTypes(type)) {
    const kind: PartKind = PARTS[name];
    if (!kind.nested || (sent.body[name] ?? null) === null) continue;
    parts[name] = readPartBodies(name, sent.body).map((body, index) => {
      const known = (before.parts[name] ?? []).find((part) => part.id === body._id);
      return mergePartBody(known ?? buildPart(sent.now, index), name, { ...sent, body });
    });
  }
  return parts;
}

export function readPartBodies(type: PartType, body: Body): readonly Body[] {
  const value = body[type];
  return Array.isArray(value) && value.every((one) => isJsonObject(one))
    ? value
    : refuse(422, `${type} must be a list of objects`);
}

/** Merges a role, skill or contact with the body and increases its version. */
export function mergePartBody(before: PartDocument, type: PartType, { body, mode, now }: Sent): PartDocument {
  const kind: PartKind = PARTS[type];
  const fields = mergeTextFields(before, kind, body, mode);
  if (kind.required !== undefined && Object.keys(fields.texts[kind.required] ?? {}).length === 0) {
    refuse(422, `${kind.required} needs at least one language`);
  }
  const numbers = { ...before.numbers };
  for (const field of kind.numbers) {
    if (body[field] === undefined) continue;
    numbers[field] = field === 'proficiency' ? readProficiency(body[field]) : readYears(field, body[field]);
  }
  return { ...before, ...fields, numbers, ...readItem(before, body), version: before.version + 1, updated_at: now };
}

/** Reads a proficiency, an integer from 0 to 5 (spec, Reports, columns of technologies). */
function readProficiency(value: unknown): number {
  try {
    return checkInteger(value, 'proficiency', { min: 0, max: 5, fallback: 0 });
  } catch {
    return refuse(422, 'proficiency must be an integer from 0 to 5');
  }
}

function readYears(field: string, value: unknown): number | null {
  if (value === null) return null;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return Number.isFinite(number) ? (number as number) : refuse(422, `${field} must be a number`);
}

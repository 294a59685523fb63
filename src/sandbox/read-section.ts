import type { PartDocument, SectionDocument } from './cv-documents.js';
import type { CodeMode } from './languages.js';
import { Refusal } from './route.js';
import { listPartTypes, PARTS, type PartKind, type PartType, SECTIONS, type SectionName } from './section-kinds.js';
import { createId } from './store.js';
import { type Body, checkInteger, isBody, isCurrencyCode, readBoolean, readString, readTexts } from './values.js';

export function buildSection(now: number, order: number): SectionDocument {
  return {
    id: createId(),
    texts: {},
    strings: {},
    parts: {},
    starred: false,
    disabled: false,
    version: 1,
    external_unique_id: null,
    order,
    owner_updated_at: null,
    recently_added: false,
    created_at: now,
    updated_at: now,
  };
}

/** What a call sets, and when. */
export interface Sent {
  readonly body: Body;
  readonly mode: CodeMode;
  readonly now: number;
}

/** The section with what the body sets; a given text is replaced whole, what is not sent stays. */
export function mergeSectionBody(before: SectionDocument, type: SectionName, sent: Sent): SectionDocument {
  const { body } = sent;
  const { texts, strings } = mergeFields(before, SECTIONS[type], sent);
  const external = readString(body, 'external_unique_id');
  return {
    ...before,
    texts,
    strings,
    parts: mergeParts(before, type, sent),
    starred: readBoolean(body, 'starred') ?? before.starred,
    disabled: readBoolean(body, 'disabled') ?? before.disabled,
    order: readOrder(body) ?? before.order,
    external_unique_id: external === undefined ? before.external_unique_id : external,
    ...(type === 'technologies'
      ? { uncategorized: readBoolean(body, 'uncategorized') ?? before.uncategorized ?? false }
      : {}),
    ...(type === 'project_experiences' ? readExcludeTags(body) : {}),
  };
}

interface SectionTexts {
  readonly texts: SectionDocument['texts'];
  readonly strings: SectionDocument['strings'];
}

function mergeFields(
  before: SectionTexts,
  kind: { readonly texts: readonly string[]; readonly strings: readonly string[] },
  { body, mode }: Sent,
): SectionTexts {
  const texts = { ...before.texts };
  for (const field of kind.texts) {
    const sent = readTexts(body, field, mode);
    if (sent !== undefined) texts[field] = sent;
  }
  const strings = { ...before.strings };
  for (const field of kind.strings) {
    const sent = readString(body, field);
    if (sent === undefined) continue;
    if (field.endsWith('_currency') && sent !== null && !isCurrencyCode(sent)) {
      throw new Refusal(422, `${field} must be a lower case currency code`);
    }
    strings[field] = sent;
  }
  return { texts, strings };
}

/** Any value (spec, CV sections, order). */
function readOrder(body: Body): number | undefined {
  const { order } = body;
  if (order === undefined || order === null) return undefined;
  const number = typeof order === 'string' && /^-?\d+$/.test(order) ? Number(order) : order;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw new Refusal(422, 'order must be an integer');
}

function readExcludeTags(body: Body): Pick<SectionDocument, 'exclude_tags'> {
  const value = body.exclude_tags;
  if (value === undefined || value === null) return {};
  if (typeof value === 'boolean') return { exclude_tags: value };
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return { exclude_tags: value };
  throw new Refusal(422, 'exclude_tags must be true, false or a list of strings');
}

/** Lists that the section's own body may carry: replaced whole, entries named by `_id` keep theirs. */
function mergeParts(before: SectionDocument, type: SectionName, call: Sent): SectionDocument['parts'] {
  const parts: Partial<Record<PartType, readonly PartDocument[]>> = { ...before.parts };
  for (const name of listPartTypes(type)) {
    const sent = call.body[name];
    const kind: PartKind = PARTS[name];
    if (!kind.nested || sent === undefined || sent === null) continue;
    if (!Array.isArray(sent) || !sent.every(isBody)) throw new Refusal(422, `${name} must be a list of objects`);
    parts[name] = sent.map((entry, index) => {
      const known = (before.parts[name] ?? []).find((part) => part.id === entry._id);
      return mergePartBody(known ?? buildPart(call.now, index), name, { ...call, body: entry });
    });
  }
  return parts;
}

export function buildPart(now: number, order: number): PartDocument {
  return {
    id: createId(),
    texts: {},
    strings: {},
    numbers: {},
    order,
    starred: false,
    disabled: false,
    version: 0,
    cv_role_id: null,
    modifier_id: null,
    created_at: now,
    updated_at: now,
  };
}

/** A role, skill or contact with what the body sets, version +1. */
export function mergePartBody(before: PartDocument, type: PartType, sent: Sent): PartDocument {
  const { body } = sent;
  const kind: PartKind = PARTS[type];
  const { texts, strings } = mergeFields(before, kind, sent);
  if (kind.required !== undefined && Object.keys(texts[kind.required] ?? {}).length === 0) {
    throw new Refusal(422, `${kind.required} needs at least one language`);
  }
  const numbers = { ...before.numbers };
  for (const field of kind.numbers) {
    if (body[field] === undefined) continue;
    numbers[field] = field === 'proficiency' ? readProficiency(body[field]) : readYears(field, body[field]);
  }
  return {
    ...before,
    texts,
    strings,
    numbers,
    order: readOrder(body) ?? before.order,
    starred: readBoolean(body, 'starred') ?? before.starred,
    disabled: readBoolean(body, 'disabled') ?? before.disabled,
    version: before.version + 1,
    updated_at: sent.now,
  };
}

/** Whole numbers from 0 to 5 (spec, Reports, columns of technologies). */
function readProficiency(value: unknown): number {
  try {
    return checkInteger(value, 'proficiency', { min: 0, max: 5, fallback: 0 });
  } catch {
    throw new Refusal(422, 'proficiency must be an integer from 0 to 5');
  }
}

function readYears(field: string, value: unknown): number | null {
  if (value === null) return null;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new Refusal(422, `${field} must be a number`);
}

import { isJsonObject, type Json, objectOf } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { askingNames } from '../../model/person-fields.js';
import { SOURCE_KEY } from '../../model/plan.js';
import { foldLoosely } from '../../model/raw-text.js';
import type { AuditStore } from '../state/audit-store.js';
import type { AuditEntry, EndOfChange } from './audit-entry.js';
import { kindsOf, type LogKind } from './entry-kinds.js';
import type { AuditEvent, DecidedRecord } from './events.js';
import { EMAIL, emailOf, pseudonymOf } from './pseudonyms.js';

/** The lines to find; null means any. */
export interface LogFilter {
  readonly run: string | null;
  /** A change id, or its beginning. */
  readonly change: string | null;
  readonly who: WantedObject | null;
  /** ISO 8601, inclusive. */
  readonly from: string | null;
  /** ISO 8601, exclusive. */
  readonly to: string | null;
  /** Part of the name of the person who decided, started or approved, folded. */
  readonly by: string | null;
  readonly kind: LogKind | null;
  readonly entity: string | null;
  readonly action: string | null;
  /** The first part of a field's path, or a column that is written back. */
  readonly field: string | null;
  /**
   * Set for a reader who sees only pseudonyms. Such a reader can search for objects by key, id or full address, and for
   * operators by full address. Partial words would let the reader guess a name letter by letter.
   */
  readonly isVeiled: boolean;
}

/** The object to find: its entity, or null for any entity, and its key, id, e-mail, external id or label, folded. */
export interface WantedObject {
  readonly entity: string | null;
  readonly words: string;
  /** Set if the words may be a part of the label. */
  readonly isName?: boolean;
}

export const EVERY_LINE: LogFilter = {
  ...{ run: null, change: null, who: null, from: null, to: null, by: null },
  ...{ kind: null, entity: null, action: null, field: null, isVeiled: false },
};

/** Returns the content of a line. A restated line has its original's content. */
export function contentOf(line: AuditEntry | AuditEvent): AuditEntry | AuditEvent {
  return line.kind === 'restated' ? line.entry : line;
}

/** Properties of a line that filters and counts use. */
export interface LineTraits {
  readonly kinds: readonly LogKind[];
  /** Several for a decision about several kinds of objects. */
  readonly entities: readonly string[];
  readonly action: string | null;
  readonly fields: readonly string[];
}

/** Values that identify the object or show if it is active. They do not count as fields. */
const NO_FIELDS: ReadonlySet<string> = new Set([SOURCE_KEY, 'deactivated']);

export function traitsOf(line: AuditEntry | AuditEvent): LineTraits {
  const content = contentOf(line);
  const hasValues = content.kind === 'change' || content.kind === 'source told';
  const names = hasValues ? [...Object.keys(objectOf(content.before)), ...Object.keys(objectOf(content.after))] : [];
  return {
    kinds: kindsOf(line),
    entities: [...new Set('entity' in content ? [content.entity] : recordsIn(content).map(({ entity }) => entity))],
    action: content.kind === 'change' ? content.action : null,
    fields: [...new Set(names)].filter((name) => !NO_FIELDS.has(name)),
  };
}

type AnyLine = AuditEntry | AuditEvent;
export type LineTest = (line: AnyLine) => boolean;

/** Returns null if the filter accepts every line. */
export function createFilter(store: Pick<AuditStore, 'pseudonymKey'>, filter: LogFilter): LineTest | null {
  const { run, change, who, from, to, by, kind, entity, action, field, isVeiled } = filter;
  const wanted = [
    from === null ? null : (line: AnyLine) => line.at >= from,
    to === null ? null : (line: AnyLine) => line.at < to,
    run === null ? null : (line: AnyLine) => 'run' in line && line.run === run,
    change === null ? null : (line: AnyLine) => changesOf(line).some((id) => id.startsWith(change)),
    by === null ? null : (line: AnyLine) => isBy(line, by, isVeiled),
    who === null ? null : createObjectTest(store, who, isVeiled),
  ].filter((test) => test !== null);
  const traits = [
    kind === null ? null : ({ kinds }: LineTraits) => kinds.includes(kind),
    entity === null ? null : ({ entities }: LineTraits) => entities.includes(entity),
    action === null ? null : (line: LineTraits) => line.action === action,
    field === null ? null : ({ fields }: LineTraits) => fields.includes(field),
  ].filter((test) => test !== null);
  if (wanted.length + traits.length === 0) return null;
  return (line) => {
    const content = contentOf(line);
    if (!wanted.every((isWanted) => isWanted(content))) return false;
    if (traits.length === 0) return true;
    const found = traitsOf(line);
    return traits.every((isWanted) => isWanted(found));
  };
}

function isBy(line: AuditEntry | AuditEvent, by: string, isVeiled: boolean): boolean {
  const shown = (text: string): string =>
    isVeiled ? foldKey(text).replaceAll(EMAIL, (email) => (email === by ? email : '')) : foldKey(text);
  if ('by' in line && shown(line.by).includes(by)) return true;
  if ('undoes' in line && shown(line.undoes?.by ?? '').includes(by)) return true;
  // `a1 by kim@example.com: ticket 4711`
  const [approved = ''] = ('approval' in line ? (line.approval ?? '') : '').split(': ');
  return shown(approved).includes(` by ${by}`);
}

function changesOf(line: AuditEntry | AuditEvent): readonly string[] {
  if (line.kind === 'change' || line.kind === 'source told') return [line.change];
  return 'changes' in line ? line.changes : [];
}

function createObjectTest(
  store: Pick<AuditStore, 'pseudonymKey'>,
  { entity, words, isName = false }: WantedObject,
  isVeiled: boolean,
): LineTest {
  const key = store.pseudonymKey();
  const isUnnamed = isVeiled && !/^[^\s<>]+@[^\s<>]+$/.test(words);
  const names = new Set([words, ...(key === null || isUnnamed ? [] : [pseudonymOf(key, words)])]);
  const parts = foldLoosely(words).split(' ');
  const isMeant = (name: unknown): boolean => typeof name === 'string' && names.has(foldKey(name));
  function isNamed(line: LoggedName): boolean {
    if (isUnnamed) return false;
    if ([line.label, emailOf(line.label), ...listNames(line)].some(isMeant)) return true;
    if (!isName || isVeiled) return false;
    const label = foldLoosely(line.label);
    return parts.every((part) => label.includes(part));
  }
  return (line) => {
    if (recordsIn(line).some((one) => (entity === null || one.entity === entity) && (isMeant(one.key) || isNamed(one))))
      return true;
    if (entity !== null && !('entity' in line && line.entity === entity)) return false;
    if (idsOf(line).some(isMeant)) return true;
    return (line.kind === 'change' || line.kind === 'source told') && isNamed(line);
  };
}

/** Returns the objects of a decision. */
export function recordsIn(line: AnyLine): readonly DecidedRecord[] {
  return 'records' in line ? (line.records ?? []) : [];
}

/** Returns the object's key and ids in a line. */
function idsOf(line: AnyLine): readonly (string | null)[] {
  const ids = [
    'key' in line ? line.key : null,
    'target' in line ? line.target : null,
    'record' in line ? line.record : null,
  ];
  return 'entity' in line ? ids : [];
}

type LoggedName = Pick<EndOfChange, 'label'> & Partial<Pick<EndOfChange, 'before' | 'after'>>;

function listNames({ before, after }: LoggedName): readonly unknown[] {
  const at = (values: Json | undefined, field: string): Json => (isJsonObject(values) ? (values[field] ?? null) : null);
  return askingNames().flatMap((field) => [at(before, field), at(after, field)]);
}

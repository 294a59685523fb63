import type { YamlPath } from '../../base/settings/resolving.js';
import type { ExpressionUse } from '../../mapping/check.js';
import { wantOf } from '../../mapping/field-steps.js';
import type { Want } from '../../mapping/wanted.js';
import { ENTITIES, type Entity, isSection, TRAITS } from '../../model/entity.js';
import { FIELDS, type Field, isByCategory, UNSETTABLE } from '../../model/fields.js';
import { isJsonObject } from '../../model/json.js';
import { adviseAmong, nearestName } from '../../model/nearest.js';
import { AUTHORITIES } from '../../model/write-back.js';
import type { FieldRule, FieldSource } from '../config.js';
import { configSchema } from '../schema.js';
import type { ConfigProblems } from '../yaml/config-problems.js';
import { explainUnknownKey } from '../yaml/explain-issue.js';
import { findOuterPlace } from '../yaml/known-keys.js';
import { formatPath } from '../yaml/yaml-place.js';
import { checkLanguage } from './languages.js';
import {
  isForm,
  type LeafRuleInput,
  readCustomFields,
  readEntries,
  type TreeReader,
  type Unwrapped,
} from './resolve-trees.js';

export interface ResolvedFields {
  readonly fields: Readonly<Record<string, FieldSource>>;
  readonly rules: Readonly<Record<string, FieldRule>>;
  readonly uses: readonly ExpressionUse[];
  readonly createMissingOffices: boolean;
  /** The fields that misspelt names probably meant. They are not reported as missing. */
  readonly misspelt: ReadonlySet<string>;
  /** The leaves with `write_back`, as written. */
  readonly writeBacks: readonly PendingWriteBack[];
}

/** The `write_back` of a leaf, before it is checked whether the sources support it. */
export interface PendingWriteBack {
  readonly leaf: string;
  readonly field: Field;
  readonly path: YamlPath;
  readonly input: unknown;
}

const PLAIN_RULE: LeafRuleInput = { apply: 'always', whenEmpty: 'keep', authority: 'source' };
const OFFICE = '{ country: …, name: … }';
const RULES = ['apply', 'when_empty', 'authority', 'write_back'] as const;

/**
 * Reads `fields:` of one entity. Each field is an expression, or a tree according to its shape. A field, language or category
 * may be wrapped in `{ value, apply, when_empty, authority, write_back }`, which applies to everything inside.
 *
 * @param path path of the entity in the configuration
 */
export function resolveFields(
  entity: Entity,
  input: Readonly<Record<string, unknown>>,
  report: ConfigProblems,
  path: YamlPath = [entity],
): ResolvedFields {
  const reader = new FieldReader(entity, report, path);
  for (const [name, value] of Object.entries(input)) reader.readField(name, value);
  for (const [name, field] of Object.entries(FIELDS[entity])) {
    // An object cannot be found without such a field. If another required field is missing, only new objects wait
    // (`listQuestions`).
    if (field.required && field.createOnly && !(name in input) && !reader.misspelt.has(name)) {
      const message = `\`${name}\` is not mapped, and the service creates no ${TRAITS[entity].singular} without it`;
      report.add([...path, 'fields'], message, `Add \`${name}: …\` to \`${path.join('.')}.fields\`.`, 'key');
    }
  }
  return reader;
}

class FieldReader implements ResolvedFields, TreeReader {
  readonly fields: Record<string, FieldSource> = {};
  readonly rules: Record<string, FieldRule> = {};
  readonly uses: ExpressionUse[] = [];
  readonly misspelt = new Set<string>();
  readonly writeBacks: PendingWriteBack[] = [];
  createMissingOffices = false;
  readonly #entity: Entity;
  readonly report: ConfigProblems;
  readonly #path: YamlPath;

  constructor(entity: Entity, report: ConfigProblems, path: YamlPath) {
    this.#entity = entity;
    this.report = report;
    this.#path = path;
  }

  readField(name: string, input: unknown): void {
    const path = [...this.#path, 'fields', name];
    const field = Object.hasOwn(FIELDS[this.#entity], name) ? FIELDS[this.#entity][name] : undefined;
    if (field === undefined) {
      this.#reportUnknown(path, name);
      return;
    }
    const found = this.unwrap(path, input, PLAIN_RULE, isTagged(field));
    if (found === null) return;
    const source = this.#readShape(name, field, found);
    if (source !== null) this.fields[name] = source;
  }

  /** Reads a field by its shape. Each language, category or custom field has its own rule; other fields have one rule. */
  #readShape(name: string, field: Field, found: Unwrapped): FieldSource | null {
    switch (field.shape) {
      case 'multilingual':
      case 'roles':
      case 'tags':
      case 'tag_sets':
        return this.#readBranches(name, field, found);
      case 'custom_fields':
        return readCustomFields(name, field, found, this);
      default:
        this.addRule(name, found.path, field, found.rule);
        return this.#readRuled(name, field, found);
    }
  }

  #readRuled(name: string, field: Field, found: Unwrapped): FieldSource | null {
    const { value, path } = found;
    const { shape } = field;
    if (shape === 'office') return this.#readOffice(path, value, true);
    if (shape === 'offices') return this.#readOffices(name, path, value);
    return shape === 'entries' ? readEntries(name, found, this) : this.expression(path, value, wantOf(field));
  }

  #readBranches(name: string, field: Field, { value: written, path, rule }: Unwrapped): FieldSource | null {
    const value = inPlainLanguage(field, written);
    const languages = field.shape === 'multilingual' || field.shape === 'roles';
    if (!isJsonObject(value) || Object.keys(value).length === 0) {
      const [key, needed] = languages ? ['en', 'language'] : ['category', 'category'];
      this.report.add(path, `\`${name}\` needs a ${needed}`, `Write \`${name}: { ${key}: … }\`.`);
      return null;
    }
    const branches: Record<string, FieldSource> = {};
    for (const [key, inner] of Object.entries(value)) {
      const innerPath = [...path, key];
      const wrong = languages ? checkLanguage(key) : null;
      if (wrong !== null) this.report.add(innerPath, wrong.message, wrong.remedy, 'key');
      const found = this.unwrap(innerPath, inner, rule);
      if (found === null) continue;
      this.addRule(`${name}.${key}`, innerPath, field, found.rule);
      const expression = this.expression(found.path, found.value, wantOf(field));
      if (expression !== null) branches[key] = expression;
    }
    return branches;
  }

  #readOffice(path: YamlPath, value: unknown, mayCreate: boolean): FieldSource | null {
    if (!isJsonObject(value)) {
      this.report.add(
        path,
        'an office is found by its country and its name',
        `Write \`${OFFICE}\`, each an expression.`,
      );
      return null;
    }
    const known = mayCreate ? ['country', 'name', 'create_missing'] : ['country', 'name'];
    for (const key of Object.keys(value)) if (!known.includes(key)) this.reportKey([...path, key], key, known);
    if (mayCreate && 'create_missing' in value)
      this.#readCreateMissing([...path, 'create_missing'], value.create_missing);
    const office: Record<string, FieldSource> = {};
    for (const key of ['country', 'name']) {
      const expression = this.#readOfficePart([...path, key], value, key);
      if (expression !== null) office[key] = expression;
    }
    return office;
  }

  #readCreateMissing(path: YamlPath, value: unknown): void {
    if (typeof value === 'boolean') this.createMissingOffices = value;
    else this.report.add(path, 'expected true or false', 'Write `true` or `false`.');
  }

  #readOfficePart(path: YamlPath, office: Readonly<Record<string, unknown>>, key: string): string | null {
    if (key in office) return this.expression(path, office[key], 'text');
    const remedy = `An office is found by its country and its name: ${OFFICE}.`;
    this.report.add(path, `\`${key}\` is missing`, remedy);
    return null;
  }

  #readOffices(name: string, path: YamlPath, value: unknown): FieldSource | null {
    if (!Array.isArray(value) || value.length === 0) {
      this.report.add(path, `\`${name}\` is a list of offices`, `Write \`${name}: [{ country: …, name: … }]\`.`);
      return null;
    }
    return value.flatMap((item: unknown, index) => this.#readOffice([...path, index], item, false) ?? []);
  }

  expression(path: YamlPath, value: unknown, want: Want): string | null {
    if (typeof value === 'string' && value.trim() !== '') {
      this.uses.push({ path, text: value, want });
      return value;
    }
    const remedy =
      typeof value === 'number' || typeof value === 'boolean'
        ? `Write \`"${value}"\` for the value itself, or \`'"${value}"'\` for a text.`
        : 'Write a CEL expression such as `record.name`.';
    this.report.add(path, `\`${formatPath(path)}\` is not an expression`, remedy);
    return null;
  }

  /** Unwraps `{ value, apply, when_empty }`, unless `value` is the name of a category or a custom field. */
  unwrap(path: YamlPath, input: unknown, outer: LeafRuleInput, isTags = false): Unwrapped | null {
    if (!isJsonObject(input)) return { value: input, path, rule: outer };
    const ruled = 'value' in input && !(isTags && isName(input));
    if (!ruled) {
      if (!isTags && RULES.some((rule) => rule in input)) {
        this.report.add([...path, 'value'], '`value` is missing', 'Write `{ value: …, apply: …, when_empty: … }`.');
        return null;
      }
      return { value: input, path, rule: outer };
    }
    const known = ['value', ...RULES];
    for (const key of Object.keys(input)) if (!known.includes(key)) this.reportKey([...path, key], key, known);
    const rule: LeafRuleInput = {
      apply: this.#readWord([...path, 'apply'], input.apply, ['always', 'create', 'empty'], outer.apply),
      whenEmpty: this.#readWord([...path, 'when_empty'], input.when_empty, ['keep', 'clear'], outer.whenEmpty),
      authority: this.#readWord([...path, 'authority'], input.authority, AUTHORITIES, outer.authority),
      ...readWriteBackInput(path, input, outer),
    };
    return { value: input.value, path: [...path, 'value'], rule };
  }

  #readWord<T extends string>(path: YamlPath, value: unknown, words: readonly T[], otherwise: T): T {
    if (value === undefined) return otherwise;
    const word = words.find((candidate) => candidate === value);
    if (word !== undefined) return word;
    const found = typeof value === 'string' ? `"${value}"` : 'this';
    this.report.add(path, `${found} is not accepted`, adviseAmong(value, words, 'Accepted'));
    return otherwise;
  }

  addRule(leaf: string, path: YamlPath, field: Field, rule: LeafRuleInput): void {
    const why = whyNeverEmpty(leaf, field);
    if (rule.whenEmpty === 'clear' && why !== null) {
      this.report.add(path, `\`${leaf}\` cannot be cleared: ${why}`, 'Remove `when_empty: clear`.');
    }
    const { writeBack, ...plain } = rule;
    this.rules[leaf] = { path: leaf, ...plain };
    if (writeBack !== undefined) this.writeBacks.push({ leaf, field, ...writeBack });
  }

  #reportUnknown(path: YamlPath, name: string): void {
    const reasons = UNSETTABLE[this.#entity] ?? {};
    const reason = Object.hasOwn(reasons, name) ? reasons[name] : undefined;
    const known = Object.keys(FIELDS[this.#entity]);
    if (reason !== undefined) {
      this.report.add(
        path,
        `\`${name}\` cannot be mapped: ${reason}`,
        `Remove it. Accepted: ${known.join(', ')}.`,
        'key',
      );
      return;
    }
    const near = nearestName(name, known);
    if (near !== null) this.misspelt.add(near);
    const outside = findOuterPlace(configSchema, path.slice(0, -1), name, {});
    this.reportKey(path, name, known, outside ?? (near === null ? nameOwners(name) : null));
  }

  reportKey(path: YamlPath, key: string, known: readonly string[], elsewhere: string | null = null): void {
    const [message, remedy] = explainUnknownKey(key, known, elsewhere);
    this.report.add(path, message, remedy, 'key');
  }
}

/** Returns a sentence with the entities that have a field of this name; null if there are none. */
function nameOwners(name: string): string | null {
  const owners = ENTITIES.filter((entity) => !isSection(entity) && Object.hasOwn(FIELDS[entity], name)).map(
    (entity) => `\`${entity}\``,
  );
  return owners.length === 0 ? null : `It is a field of ${owners.join(', ')}.`;
}

function readWriteBackInput(
  path: YamlPath,
  input: Readonly<Record<string, unknown>>,
  outer: LeafRuleInput,
): Pick<LeafRuleInput, 'writeBack'> {
  if ('write_back' in input) return { writeBack: { path: [...path, 'write_back'], input: input.write_back } };
  return outer.writeBack === undefined ? {} : { writeBack: outer.writeBack };
}

/** Explains why a field cannot be cleared; null if it can be. */
function whyNeverEmpty(leaf: string, field: Field): string | null {
  if (field.required) return 'the service needs a value';
  if (field.additive) return 'its items are never removed';
  if (field.neverEmpty) return 'the service has no call for it';
  return leaf === 'roles' ? 'a user always has a base role' : null;
}

/**
 * True if `value` is a name among other names and not a key of a rule, as in `tags: { value: record.x }` or `custom_fields: {
 * value: { amount: record.x, currency: record.y }, heads: record.z }`.
 */
function isName(input: Readonly<Record<string, unknown>>): boolean {
  // A misspelt key of a rule does not count as a name.
  const others = Object.keys(input).filter((key) => key !== 'value' && nearestName(key, RULES) === null);
  if (others.length > 0 || !isJsonObject(input.value)) return true;
  return !RULES.some((rule) => rule in input) && ('value' in input.value || isForm(Object.keys(input.value)));
}

/** Treats a single expression as the text in the field's plain language. */
function inPlainLanguage({ plainLanguage }: Field, written: unknown): unknown {
  return plainLanguage !== undefined && typeof written === 'string' ? { [plainLanguage]: written } : written;
}

/** True if the branches are categories or custom fields, because these may have any name. */
function isTagged(field: Field): boolean {
  return isByCategory(field) || field.shape === 'custom_fields';
}

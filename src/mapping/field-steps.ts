import type { EntityMapping, FieldSource } from '../config/config.js';
import type { Entity } from '../model/entity.js';
import { FIELDS, type Field, type FieldShape } from '../model/fields.js';
import { type Json, textOf } from '../model/json.js';
import { buildCustomFieldsStep } from './custom-fields-step.js';
import { buildEntriesStep } from './entries-step.js';
import { type Expression, explainFailure, type Want } from './expression.js';
import { RecordFault } from './record-fault.js';
import type { Scope } from './scope.js';
import type { StepKit } from './step-kit.js';
import { type Convert, chooseConvert, convertCountry, convertNames, convertText, type ValuePlace } from './values.js';

/** One expression of a mapping: `title.en`, `office.country`, `role_allowed_offices[0].name`. */
export interface MappingLeaf {
  readonly path: string;
  readonly expression: Expression;
}

/** One field: `read` gives its value for the record shown, undefined to leave it as it is, null to clear it. */
export interface FieldStep {
  readonly name: string;
  readonly leaves: readonly MappingLeaf[];
  read(): Json | undefined;
}

/** The answer rests on a source whose read cannot tell, so the field keeps what was last agreed. */
const UNKNOWN = Symbol('unknown');

type CompileLeaf = (path: string, text: string, want: Want) => MappingLeaf;

export function buildFieldSteps(
  entity: Entity,
  mapping: EntityMapping,
  scope: Scope,
  compile: CompileLeaf,
): readonly FieldStep[] {
  return Object.entries(mapping.fields).flatMap(([name, source]) => {
    const field = FIELDS[entity][name];
    if (field === undefined) return [];
    return [buildStep({ entity, name, field, source, mapping, scope, compile })];
  });
}

interface StepInput {
  readonly entity: Entity;
  readonly name: string;
  readonly field: Field;
  readonly source: FieldSource;
  readonly mapping: EntityMapping;
  readonly scope: Scope;
  readonly compile: CompileLeaf;
}

const WANTS: Readonly<Record<FieldShape, Want>> = {
  text: 'text',
  flag: 'flag',
  reference: 'text',
  references: 'names',
  industry: 'text',
  multilingual: 'text',
  roles: 'text',
  office: 'text',
  offices: 'text',
  tags: 'text',
  tag_sets: 'names',
  integer: 'integer',
  names: 'names',
  entries: 'entries',
  custom_fields: 'scalar',
};

export function wantOf(shape: FieldShape): Want {
  return WANTS[shape];
}

function buildStep(input: StepInput): FieldStep {
  switch (input.field.shape) {
    case 'multilingual':
    case 'roles':
    case 'tags':
    case 'tag_sets':
      return buildKeyedStep(input);
    case 'office':
      return buildOfficeStep(input);
    case 'offices':
      return buildOfficesStep(input);
    case 'entries':
      return buildEntriesStep(input.name, input.source, kitOf(input));
    case 'custom_fields':
      return buildCustomFieldsStep(input.name, input.source, kitOf(input));
    default:
      return buildPlainStep(input);
  }
}

function buildPlainStep(input: StepInput): FieldStep {
  const { name, field, scope } = input;
  const leaf = input.compile(name, textOf(input.source), WANTS[field.shape]);
  const convert = chooseConvert(field);
  const empty = emptyValue(input.mapping, name);
  const read = (): Json | undefined => {
    const value = readLeaf(leaf, scope, convert);
    if (value === UNKNOWN) return undefined;
    if (value === undefined && field.needed === true) {
      const remedy = `Fill in the ${name} in the source, or leave such records out with \`scope\`.`;
      throw new RecordFault('SYNC_MAP_VALUE', `${name} is empty; it comes from \`${leaf.expression.text}\``, remedy);
    }
    return value === undefined ? empty : value;
  };
  return { name, leaves: [leaf], read };
}

/** Languages of a text, categories of the tags: each a value of its own; the ones that are left alone are left out. */
function buildKeyedStep(input: StepInput): FieldStep {
  const convert: Convert = input.field.shape === 'tag_sets' ? convertNames : convertText;
  const parts = Object.entries(branchesOf(input.source)).map(([key, source]) => {
    const path = `${input.name}.${key}`;
    return {
      key,
      leaf: input.compile(path, textOf(source), WANTS[input.field.shape]),
      // Roles are only ever added: there is nothing to clear.
      empty: input.field.shape === 'roles' ? undefined : emptyValue(input.mapping, path),
    };
  });
  const read = (): Json | undefined => {
    const values: Record<string, Json> = {};
    let some = false;
    for (const { key, leaf, empty } of parts) {
      const found = readLeaf(leaf, input.scope, convert);
      const value = found === UNKNOWN ? undefined : (found ?? empty);
      if (value === undefined) continue;
      values[key] = value;
      some = true;
    }
    if (!some) return undefined;
    return input.field.shape === 'roles' ? [values] : values;
  };
  return { name: input.name, leaves: parts.map(({ leaf }) => leaf), read };
}

interface OfficeLeaves {
  readonly country: MappingLeaf;
  readonly name: MappingLeaf;
}

function compileOffice(input: StepInput, source: FieldSource, path: string): OfficeLeaves {
  const branches = branchesOf(source);
  return {
    country: input.compile(`${path}.country`, textOf(branches.country), 'text'),
    name: input.compile(`${path}.name`, textOf(branches.name), 'text'),
  };
}

/** Half an office (a country, no name) is none: it could only be guessed at. */
function readOffice(
  office: OfficeLeaves,
  scope: Scope,
): { country: string; name: string } | undefined | typeof UNKNOWN {
  const country = readLeaf(office.country, scope, convertCountry);
  const name = readLeaf(office.name, scope, convertText);
  if (country === UNKNOWN || name === UNKNOWN) return UNKNOWN;
  return country === undefined || name === undefined ? undefined : { country, name };
}

function buildOfficeStep(input: StepInput): FieldStep {
  const office = compileOffice(input, input.source, input.name);
  const read = (): Json | undefined => {
    const found = readOffice(office, input.scope);
    return found === UNKNOWN ? undefined : found;
  };
  return { name: input.name, leaves: [office.country, office.name], read };
}

function buildOfficesStep(input: StepInput): FieldStep {
  const sources: readonly FieldSource[] = Array.isArray(input.source) ? input.source : [];
  const offices = sources.map((source, index) => compileOffice(input, source, `${input.name}[${index}]`));
  const empty = emptyValue(input.mapping, input.name);
  const read = (): Json | undefined => {
    const found = new Map<string, { country: string; name: string }>();
    for (const office of offices) {
      const value = readOffice(office, input.scope);
      if (value === UNKNOWN) return undefined;
      if (value !== undefined) found.set(`${value.country} ${value.name}`, value);
    }
    return found.size === 0 ? empty : [...found.values()];
  };
  return { name: input.name, leaves: offices.flatMap(({ country, name }) => [country, name]), read };
}

/** What the steps of other files need of this one. */
function kitOf({ compile, scope, mapping }: StepInput): StepKit {
  return {
    compile,
    timezone: scope.timezone,
    read: (leaf, convert) => {
      const value = readLeaf(leaf, scope, convert);
      return value === UNKNOWN ? null : value;
    },
    emptyValue: (path) => emptyValue(mapping, path),
  };
}

function emptyValue(mapping: EntityMapping, path: string): null | undefined {
  return mapping.rules[path]?.whenEmpty === 'clear' ? null : undefined;
}

function branchesOf(source: FieldSource): { readonly [key: string]: FieldSource } {
  return typeof source === 'object' && !Array.isArray(source)
    ? (source as { readonly [key: string]: FieldSource })
    : {};
}

export function readLeaf<T extends Json>(
  leaf: MappingLeaf,
  scope: Scope,
  convert: (value: unknown, at: ValuePlace) => T | undefined,
): T | undefined | typeof UNKNOWN;
export function readLeaf(leaf: MappingLeaf, scope: Scope, convert: Convert): Json | undefined | typeof UNKNOWN {
  const value = evaluateLeaf(leaf, scope);
  return value === UNKNOWN ? UNKNOWN : convert(value, leaf);
}

function evaluateLeaf(leaf: MappingLeaf, scope: Scope): unknown {
  scope.tracker.source = null;
  let value: unknown;
  try {
    value = leaf.expression.run();
  } catch (error) {
    if (scope.tracker.source !== null) return UNKNOWN;
    throw failedExpression(leaf, error);
  }
  return scope.tracker.source === null ? value : UNKNOWN;
}

export function failedExpression(leaf: MappingLeaf, error: unknown): RecordFault {
  return new RecordFault(
    'SYNC_MAP_EXPRESSION',
    `${leaf.path}: \`${leaf.expression.text}\` failed: ${explainFailure(error)}`,
    'Correct the record, or make the expression cope with such values.',
  );
}

/** The yes or no of `scope` and `leaver.when`. Without an answer the record is held: a wrong one would make or lose a person. */
export function decide(leaf: MappingLeaf, scope: Scope): boolean {
  const value = evaluateLeaf(leaf, scope);
  if (value === UNKNOWN) {
    throw new RecordFault(
      'SYNC_MAP_EXPRESSION',
      `${leaf.path}: \`${leaf.expression.text}\` rests on ${scope.tracker.source}, whose read is incomplete`,
      `It is tried again with the next complete read of ${scope.tracker.source}.`,
    );
  }
  if (typeof value === 'boolean') return value;
  throw new RecordFault(
    'SYNC_MAP_EXPRESSION',
    `${leaf.path}: \`${leaf.expression.text}\` yielded neither true nor false`,
    'Make the expression a comparison, or give absent values a replacement with `.orValue(…)`.',
  );
}

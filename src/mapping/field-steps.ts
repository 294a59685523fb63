import type { EntityMapping, FieldSource } from '../config/config.js';
import { officeKey } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import { FIELDS, type Field, type FieldShape } from '../model/fields.js';
import { type Json, textOf } from '../model/json.js';
import { buildCustomFieldsStep } from './custom-fields-step.js';
import { buildEntriesStep } from './entries-step.js';
import { readLeaf } from './mapping-leaf.js';
import { RecordFault } from './record-fault.js';
import type { Scope } from './scope.js';
import { compileBranches, type FieldStep, type Leaves, type StepKit, treeOf } from './step-kit.js';
import {
  type Convert,
  chooseConvert,
  convertCountry,
  convertKnownBy,
  convertName,
  convertNames,
  convertText,
  convertUserName,
} from './values.js';
import type { Want } from './wanted.js';

export function buildFieldSteps(
  entity: Entity,
  mapping: EntityMapping,
  scope: Scope,
  compile: StepKit['compile'],
): readonly FieldStep[] {
  const kit: StepKit = {
    compile,
    timezone: scope.timezone,
    read: (leaf, convert) => readLeaf(leaf, scope, convert),
    emptyValue: (path) => (mapping.rules[path]?.whenEmpty === 'clear' ? null : undefined),
  };
  return Object.entries(mapping.fields).flatMap(([name, source]) => {
    const field = FIELDS[entity][name];
    return field === undefined ? [] : [STEPS[field.shape]({ name, field, source, kit })];
  });
}

interface StepInput {
  readonly name: string;
  readonly field: Field;
  readonly source: FieldSource;
  readonly kit: StepKit;
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

/** The type that a field needs. Months, years and amounts are texts in the service, but numbers in most sources. */
export function wantOf({ shape, comparedAs }: Pick<Field, 'shape' | 'comparedAs'>): Want {
  return shape === 'text' && comparedAs === 'number' ? 'scalar' : WANTS[shape];
}

const STEPS: Readonly<Record<FieldShape, (input: StepInput) => FieldStep>> = {
  text: buildPlainStep,
  flag: buildPlainStep,
  reference: buildPlainStep,
  references: buildPlainStep,
  industry: buildPlainStep,
  integer: buildPlainStep,
  names: buildPlainStep,
  multilingual: buildKeyedStep,
  roles: buildKeyedStep,
  tags: buildKeyedStep,
  tag_sets: buildKeyedStep,
  office: buildOfficeStep,
  offices: buildOfficesStep,
  entries: ({ name, source, kit }) => buildEntriesStep(name, source, kit),
  custom_fields: ({ name, source, kit }) => buildCustomFieldsStep(name, source, kit),
};

function buildPlainStep({ name, field, source, kit }: StepInput): FieldStep {
  const leaf = kit.compile(name, textOf(source), wantOf(field));
  const convert = chooseKnownBy(name, field) ?? chooseConvert(field);
  const empty = kit.emptyValue(name);
  const read = (): Json | undefined => {
    const value = kit.read(leaf, convert);
    if (value === null) return undefined;
    if (value === undefined && field.needed === true) {
      const remedy = `Fill in the ${name} in the source, or leave such records out with \`scope\`.`;
      throw new RecordFault('SYNC_MAP_VALUE', `${name} is empty; it comes from \`${leaf.expression.text}\``, remedy);
    }
    return value === undefined ? empty : value;
  };
  return { name, leaves: [leaf], read };
}

/** The conversion of fields that identify someone or something; null for all others. */
function chooseKnownBy(name: string, { personal, form }: Field): Convert | null {
  if (personal === 'name') return convertName;
  if (personal === 'address') return form === 'email' ? null : convertUserName;
  return personal === 'key' || name === 'external_unique_id' ? convertKnownBy : null;
}

/** Builds a field with one value per language or tag category. Values that stay unchanged are left out. */
function buildKeyedStep({ name, field, source, kit }: StepInput): FieldStep {
  const { shape } = field;
  const convert: Convert = shape === 'tag_sets' ? convertNames : (chooseKnownBy(name, field) ?? convertText);
  const leaves = compileBranches(kit, name, source, WANTS[shape]);
  // Roles are only ever added, so nothing is cleared.
  const parts = Object.entries(leaves).map(([key, leaf]) => {
    return { key, leaf, empty: shape === 'roles' ? undefined : kit.emptyValue(leaf.path) };
  });
  const read = (): Json | undefined => {
    const values: Record<string, Json> = {};
    let some = false;
    for (const { key, leaf, empty } of parts) {
      const found = kit.read(leaf, convert);
      const value = found === undefined ? empty : (found ?? undefined);
      if (value === undefined) continue;
      values[key] = value;
      some = true;
    }
    if (!some) return undefined;
    return shape === 'roles' ? [values] : values;
  };
  return { name, leaves: Object.values(leaves), read };
}

function compileOffice(kit: StepKit, path: string, source: FieldSource): Leaves {
  const { country = '', name = '' } = treeOf(source);
  return compileBranches(kit, path, { country, name }, 'text');
}

/**
 * Reads an office; null if it is unknown. An incomplete office, such as a country without a name, is undefined, because
 * the missing part would be a guess.
 */
function readOffice(kit: StepKit, leaves: Leaves): { country: string; name: string } | undefined | null {
  const country = leaves.country && kit.read(leaves.country, convertCountry);
  const name = leaves.name && kit.read(leaves.name, convertText);
  if (country === null || name === null) return null;
  return country === undefined || name === undefined ? undefined : { country, name };
}

function buildOfficeStep({ name, source, kit }: StepInput): FieldStep {
  const leaves = compileOffice(kit, name, source);
  return { name, leaves: Object.values(leaves), read: () => readOffice(kit, leaves) ?? undefined };
}

function buildOfficesStep({ name, source, kit }: StepInput): FieldStep {
  const sources: readonly FieldSource[] = Array.isArray(source) ? source : [];
  const offices = sources.map((office, index) => compileOffice(kit, `${name}[${index}]`, office));
  const empty = kit.emptyValue(name);
  const read = (): Json | undefined => {
    const found = new Map<string, { country: string; name: string }>();
    for (const office of offices) {
      const value = readOffice(kit, office);
      if (value === null) return undefined;
      if (value === undefined) continue;
      const key = officeKey(value.country, value.name);
      if (!found.has(key)) found.set(key, value);
    }
    return found.size === 0 ? empty : [...found.values()];
  };
  return { name, leaves: offices.flatMap((office) => Object.values(office)), read };
}

import { cleanLine } from '../../model/clean-text.js';
import { describeDifference, looksTheSame, mayLookLikeAnother } from '../../model/difference.js';
import { invalidSyntax } from './scim-error.js';

/** An attribute as RFC 7643, section 7, describes it. */
export interface Attribute {
  readonly name: string;
  /** `any` is the type of attributes in an extension with an unknown schema. */
  readonly type: 'string' | 'boolean' | 'dateTime' | 'reference' | 'binary' | 'complex' | 'any';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  readonly returned: 'always' | 'default' | 'never';
  readonly uniqueness: 'none' | 'server';
  readonly subAttributes?: readonly Attribute[];
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
}

export function defineAttribute(name: string, description: string, more: Partial<Attribute> = {}): Attribute {
  return {
    name,
    type: 'string',
    multiValued: false,
    description,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...more,
  };
}

export function defineComplex(
  name: string,
  description: string,
  more: Partial<Attribute>,
  subAttributes: readonly Attribute[],
): Attribute {
  return defineAttribute(name, description, { type: 'complex', subAttributes, ...more });
}

/** Defines a list of values with a type, such as addresses or phone numbers. One value may be primary. */
export function defineList(name: string, description: string, types: readonly string[], value: Attribute): Attribute {
  return defineComplex(name, description, { multiValued: true }, [
    value,
    defineAttribute('display', 'A name of the value for display.'),
    defineAttribute('type', 'The purpose of the value.', types.length === 0 ? {} : { canonicalValues: types }),
    defineAttribute('primary', 'true for the main value.', { type: 'boolean' }),
  ]);
}

/**
 * Finds an attribute. The case of names does not matter (RFC 7643, 2.1).
 *
 * @throws ScimError invalidSyntax for a name that looks like the name of an attribute but differs from it
 */
export function findNamed(attributes: readonly Attribute[], name: string): Attribute | null {
  const wanted = name.toLowerCase();
  const found = attributes.find((attribute) => attribute.name.toLowerCase() === wanted) ?? null;
  if (found === null && mayLookLikeAnother(name)) refuseLookAlike(attributes, name);
  return found;
}

function refuseLookAlike(attributes: readonly Attribute[], name: string): void {
  const meant = attributes.find((attribute) => looksTheSame(attribute.name, name));
  if (meant === undefined) return;
  throw invalidSyntax(`${cleanLine(name)} is not ${meant.name}: it has ${describeDifference(meant.name, name)}.`);
}

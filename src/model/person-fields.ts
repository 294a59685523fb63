import { isAccount } from './entity.js';
import { FIELDS, type Field, type Personal } from './fields.js';

/**
 * What a field of people tells of them. A plain text that says nothing of it is taken for a number of that person: a field
 * that somebody adds is erased, redacted and watched before anybody thinks of it.
 */
export function personalKind({ personal, shape }: Field): Personal | null {
  return personal ?? (shape === 'text' ? 'number' : null);
}

/** The fields of people that tell who somebody is, of some kinds or all, in the order of `FIELDS`. */
export function personalFields(...kinds: readonly Personal[]): readonly string[] {
  return listFields((field) => {
    const kind = personalKind(field);
    return kind !== null && (kinds.length === 0 || kinds.includes(kind));
  });
}

/** What a person is known by and has alone, as a text: who shares an office or a title is not meant by it. */
export function ownTexts(): readonly string[] {
  return listFields((field) => field.shape === 'text' && personalKind(field) !== 'trait');
}

/** The words by which somebody asks for a person. */
export function askingNames(): readonly string[] {
  return listFields(({ shape, matchable }) => shape === 'text' && matchable === true);
}

/** Fields that give access, of one kind or all. */
export function accessFields(...kinds: readonly NonNullable<Field['access']>[]): readonly string[] {
  return listFields(({ access }) => access !== undefined && (kinds.length === 0 || kinds.includes(access)));
}

/** Whether the case of a text is of no account: addresses, and what people are named by. */
export function ignoresCase({ comparedAs, to }: Field): boolean {
  return comparedAs === 'folded' || isAccount(to);
}

function listFields(isMeant: (field: Field) => boolean): readonly string[] {
  return Object.entries(FIELDS.users).flatMap(([name, field]) => (isMeant(field) ? [name] : []));
}

/** What makes an account somebody's. */
export const IDENTITY = personalFields('name', 'address');

/** For so long it is remembered who a person was before name or address changed. */
export const FORMER_MS = 90 * 86_400_000;

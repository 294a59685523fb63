import { isAccount } from './entity.js';
import { FIELDS, type Field, type Personal } from './fields.js';

/**
 * How a field identifies a person. A plain text without `personal` counts as a number of that person, so a new field is
 * erased, redacted and watched by default.
 */
export function personalKind({ personal, shape }: Field): Personal | null {
  return personal ?? (shape === 'text' ? 'number' : null);
}

/** The fields that identify a person, of some kinds or all, in the order of `FIELDS`. */
export function personalFields(...kinds: readonly Personal[]): readonly string[] {
  return listFields((field) => {
    const kind = personalKind(field);
    return kind !== null && (kinds.length === 0 || kinds.includes(kind));
  });
}

/** Texts that belong to one person only, unlike a shared office or title. */
export function ownTexts(): readonly string[] {
  return listFields((field) => field.shape === 'text' && personalKind(field) !== 'trait');
}

/** The fields by which a person can be looked up. */
export function askingNames(): readonly string[] {
  return listFields(({ shape, matchable }) => shape === 'text' && matchable === true);
}

/** Fields that give access, of one kind or all. */
export function accessFields(...kinds: readonly NonNullable<Field['access']>[]): readonly string[] {
  return listFields(({ access }) => access !== undefined && (kinds.length === 0 || kinds.includes(access)));
}

/** True if the case of a text does not matter: addresses, and words that name people. */
export function ignoresCase({ comparedAs, to }: Field): boolean {
  return comparedAs === 'folded' || isAccount(to);
}

function listFields(isMeant: (field: Field) => boolean): readonly string[] {
  return Object.entries(FIELDS.users).flatMap(([name, field]) => (isMeant(field) ? [name] : []));
}

/** The fields that make an account a certain person's. */
export const IDENTITY = personalFields('name', 'address');

/** How long a person's former name and address are kept after a change. */
export const FORMER_MS = 90 * 86_400_000;

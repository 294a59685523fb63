import { isAccount } from './entity.js';
import { FIELDS, type Field, type Personal } from './fields.js';

/**
 * Returns how a field identifies a person. A plain text without `personal` counts as a number of that person, so that new
 * fields are erased, redacted and watched by default.
 */
export function personalKind({ personal, shape }: Field): Personal | null {
  return personal ?? (shape === 'text' ? 'number' : null);
}

/** Lists the fields that identify a person, of the given kinds or of all kinds, in the order of `FIELDS`. */
export function personalFields(...kinds: readonly Personal[]): readonly string[] {
  return listFields((field) => {
    const kind = personalKind(field);
    return kind !== null && (kinds.length === 0 || kinds.includes(kind));
  });
}

/** Lists the text fields that are specific to one person, unlike an office or a title. */
export function ownTexts(): readonly string[] {
  return listFields((field) => field.shape === 'text' && personalKind(field) !== 'trait');
}

/** Lists the fields for looking up a person. */
export function askingNames(): readonly string[] {
  return listFields(({ shape, matchable }) => shape === 'text' && matchable === true);
}

/** Lists the fields that give access, of the given kinds or of all kinds. */
export function accessFields(...kinds: readonly NonNullable<Field['access']>[]): readonly string[] {
  return listFields(({ access }) => access !== undefined && (kinds.length === 0 || kinds.includes(access)));
}

/** True if case does not matter in a text, as in addresses and in words that refer to people. */
export function ignoresCase({ comparedAs, to }: Field): boolean {
  return comparedAs === 'folded' || isAccount(to);
}

function listFields(isMeant: (field: Field) => boolean): readonly string[] {
  return Object.entries(FIELDS.users).flatMap(([name, field]) => (isMeant(field) ? [name] : []));
}

/** The fields that tie an account to a particular person. */
export const IDENTITY = personalFields('name', 'address');

/** How long a person's former name and address are kept after a change. */
export const FORMER_MS = 90 * 86_400_000;

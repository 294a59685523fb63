import type { Answers, OpenQuestion, ProposedField } from './answers.js';
import { describeKept, describeOthers, noteChanges, type Weighed } from './weigh.js';
import { withNote } from './yaml-text.js';

/** Fields that `init` asks about if a few known people have another value in the account. */
export const UPDATABLE: readonly string[] = ['name', 'email', 'title', 'telephone'];

export interface KeptField {
  readonly field: string;
  /** The value as YAML. */
  readonly value: string;
  readonly chosen: Weighed;
  /** The word for the field in a sentence. */
  readonly thing: string;
}

/**
 * Proposes a field for which a few known people have another value in the account. They keep it, and later changes in the
 * source do not reach anyone with a value. Therefore `init` asks if the source should overwrite the field. The ids in the
 * account are never overwritten.
 */
export function proposeKept(
  { field, value, chosen, thing }: KeptField,
  { updates }: Pick<Answers, 'updates'>,
): ProposedField {
  if (updates[field] === true) return { lines: [withNote(`${field}: ${value}`, noteChanges(chosen))], open: [] };
  const isAsked = UPDATABLE.includes(field) && updates[field] === undefined;
  const line = `${field}: { value: ${value}, apply: empty } # ${describeKept(chosen, thing)}`;
  return { lines: [line], open: isAsked ? [askUpdate(field, describeOthers(chosen, thing))] : [] };
}

function askUpdate(field: string, others: string): OpenQuestion {
  const text = `${others}. Should the source overwrite it, now and whenever it changes?`;
  return { flag: '--update', about: field, text, choices: ['yes', 'no'], otherwise: 'no' };
}

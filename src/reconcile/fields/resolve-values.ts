import type { Directory } from '../../model/directory.js';
import type { Json, Values } from '../../model/json.js';
import { findFieldFault } from './custom-fields.js';

/** A field whose reference cannot be resolved. It is left out of the change and reported, until a later run resolves it. */
export interface UnresolvedField {
  readonly field: string;
  readonly reason: string;
  readonly remedy: string;
}

export interface FieldResolution {
  readonly value: Json | undefined;
  readonly needs: readonly string[];
  readonly unresolved: readonly UnresolvedField[];
}

/**
 * Leaves out invalid fields, because a single one makes the service reject the entire request (spec, Custom fields on
 * projects 1).
 */
export function resolveCustomFields(field: string, values: Values, directory: Directory): FieldResolution {
  const defined = directory.customFields();
  const unresolved: UnresolvedField[] = [];
  const good = Object.entries(values).filter(([name, value]) => {
    const fault = findFieldFault(name, value, defined);
    if (fault !== null) unresolved.push({ field: `${field}.${name}`, ...fault });
    return fault === null;
  });
  return { value: good.length > 0 ? Object.fromEntries(good) : undefined, needs: [], unresolved };
}

export function resolveIndustry(field: string, word: string, directory: Directory): FieldResolution {
  const [id, ...others] = directory.find('industries', word);
  if (id !== undefined && others.length === 0) return { value: word, needs: [], unresolved: [] };
  const reason =
    id === undefined
      ? `The industry "${word}" is not known: no reference project in the service has it, and \`customers.industries\` does not name it.`
      : `"${word}" may mean ${others.length + 1} industries of the service: ${[id, ...others].join(', ')}.`;
  const remedy = `Add \`${JSON.stringify(word)}: <its id>\` to \`customers.industries\`, or correct the word. A full read looks for it again.`;
  return { value: undefined, needs: [], unresolved: [{ field, reason, remedy }] };
}

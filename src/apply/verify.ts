import type { IdOf } from '../model/entity-keys.js';
import { FIELDS } from '../model/fields.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import type { Change } from '../model/plan.js';
import { diffValues } from '../reconcile/diff.js';

/** A field that the service answered differently from what was sent. */
export interface Untaken {
  readonly field: string;
  readonly sent: Json;
  readonly got: Json;
}

/**
 * Holds the service's answer against what was meant: unknown attributes and invalid language keys are dropped without a
 * word (spec, Conventions 2 and 4), so a 200 alone proves nothing. What the answer does not show cannot be judged.
 */
export function findUntaken(change: Change, observed: Observed, idOf: IdOf): readonly Untaken[] {
  const { entity, after } = change;
  const { deactivated, ...fields } = after;
  // A cleared field reads as empty: compare it as a value that must be gone.
  const difference = diffValues({
    entity,
    desired: fields,
    observed: observed.values,
    written: after,
    rules: {},
    idOf,
  });
  // The scope that belongs to roles which did not stay differs with them, but no answer shows it.
  const untaken = difference.fields.flatMap((field) => {
    const got = observed.values[field];
    return got === undefined ? [] : [{ field, sent: after[field] ?? null, got }];
  });
  const active =
    deactivated === undefined ? change.action !== 'reactivate' || observed.active : observed.active !== deactivated;
  return active ? untaken : [...untaken, { field: 'deactivated', sent: deactivated ?? false, got: !observed.active }];
}

export function formatUntaken(untaken: readonly Untaken[]): string {
  return untaken
    .map(({ field, sent, got }) => `${field}: sent ${canonicalJson(sent)}, answered ${canonicalJson(got)}`)
    .join('; ');
}

/** What must be remembered because the answer does not show it: tags, scopes, and anything the response left out. */
export function unreadableParts(written: Values | null, after: Values, observed: Observed): Values {
  const kept: Record<string, Json> = { ...(written ?? {}) };
  for (const [name, value] of Object.entries(after)) {
    if (FIELDS[observed.entity][name]?.additive === true) {
      // Kept even where it shows: a copy in the service may no longer tell what it was made of.
      kept[name] = [...new Set([...listOf(written?.[name]), ...listOf(value)])];
      continue;
    }
    if (name === 'deactivated' || observed.values[name] !== undefined) continue;
    kept[name] = isJsonObject(value) && isJsonObject(written?.[name]) ? { ...written[name], ...value } : value;
  }
  return kept;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

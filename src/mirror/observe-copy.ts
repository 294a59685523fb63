import type { Copy } from '../model/copies.js';
import { foldKey } from '../model/observed.js';
import { sha256 } from '../model/sha256.js';
import type { WireTailoredCv } from '../service/wire-cv.js';
import type { WireTailoredReference } from '../service/wire-proposal.js';

export function observeCvCopy(cv: WireTailoredCv): Copy {
  return { field: 'cvs', of: cv.user_id ?? null, id: cv.id, mark: markCopy(cv) };
}

/** A tailored reference shows the values of its project, but not the project's id (spec, Proposal). */
export function observeReferenceCopy(reference: WireTailoredReference): Copy {
  const external = reference.external_unique_id;
  return {
    field: 'references',
    of: external == null ? null : foldKey(external),
    id: reference.id,
    mark: markCopy(reference),
  };
}

/**
 * Returns a digest that stays the same until someone edits the copy. Every save raises a version and moves a stamp
 * (spec, Versioning 4), and an edited copy is no longer `initial`. Texts are left out because some come from elsewhere.
 * Returns null if the copy has neither a version nor a stamp.
 */
function markCopy(copy: WireTailoredCv | WireTailoredReference): string | null {
  if (copy.version == null && copy.updated_at == null) return null;
  return sha256([...eachMoving(copy, '')].join('\n')).slice(0, 32);
}

const MOVING = ['id', 'version', 'updated_at', 'status'] as const;

/** Yields a line for the copy and for each record in it. */
function* eachMoving(value: unknown, path: string): Iterable<string> {
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) yield* eachMoving(item, path);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const row = value as Readonly<Record<string, unknown>>;
  const moving = MOVING.flatMap((name) => (row[name] === undefined ? [] : [row[name]]));
  if (moving.length > 0) yield `${path} ${JSON.stringify(moving)}`;
  for (const [name, part] of Object.entries(row)) yield* eachMoving(part, `${path}.${name}`);
}

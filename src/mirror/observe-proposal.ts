import type { ContentKind } from '../model/copies.js';
import type { FieldTable } from '../model/fields.js';
import type { Json, Values } from '../model/json.js';
import { foldKey, type Observed } from '../model/observed.js';
import type { WireTailoredCv } from '../service/wire-cv.js';
import type { WireCollaborators, WireProposal, WireTailoredReference } from '../service/wire-proposal.js';
import { type Observation, observe } from './observe.js';

/** The contents of a proposal that were read. Each kind needs its own call (spec, Proposals). */
export interface ProposalContents {
  readonly collaborators?: WireCollaborators;
  readonly cvs?: readonly WireTailoredCv[];
  readonly references?: readonly WireTailoredReference[];
}

/**
 * Observes a proposal without its contents, as the list of proposals shows it. The owner is identified by name, because
 * an API user's id is not one of a person.
 */
export function observeProposal(proposal: WireProposal): Observed {
  const { id, name, status, archived, owner_id, owner_name, api_owner_id, api_owner_name } = proposal;
  const isOwned = owner_id !== undefined || api_owner_id !== undefined;
  const owner = owner_id ? (owner_name ?? owner_id) : (api_owner_name ?? api_owner_id ?? null);
  const values: Observation<'proposals', keyof FieldTable['proposals']> = {
    name: name ?? null,
    archived,
    status,
    ...(isOwned ? { owner_id: owner_id ?? null } : {}),
    owner: isOwned ? owner : undefined,
    // Contents need separate calls.
    collaborators: undefined,
    cvs: undefined,
    references: undefined,
  };
  return observe('proposals', id, null, values);
}

/**
 * Describes the contents of a proposal. People are named by e-mail and identified by id. A tailored reference shows
 * only its project's values, not the project's id (spec, Proposal), so its external id identifies it. References
 * without an external id are counted.
 */
export function describeContents({ collaborators, cvs, references }: ProposalContents): Values {
  const values: Record<string, Json> = {};
  if (collaborators !== undefined) Object.assign(values, listPeople('collaborators', collaborators.users));
  if (cvs !== undefined) {
    const people = cvs.map(({ user_id, email }) => ({ id: user_id, email }));
    Object.assign(values, listPeople('cvs', people));
  }
  if (references !== undefined) {
    const known = references.flatMap(({ external_unique_id }) => external_unique_id ?? []);
    values.references = [...new Set(known)].sort();
    values.references_unknown = references.length - known.length;
  }
  return values;
}

export function listPeople(
  name: ContentKind,
  people: readonly { readonly id?: string | null | undefined; readonly email?: string | null | undefined }[],
): Values {
  const ids: Record<string, Json> = {};
  for (const { id, email } of people) if (id) ids[foldKey(email ? email : id)] = id;
  return { [name]: Object.keys(ids).sort(), [`${name}_ids`]: ids };
}

import * as z from 'zod';
import { EXPLAIN_STORED } from '../../../../operations/explain-stored.js';
import { FIND_PEOPLE } from '../../../../operations/find-people.js';
import { RELEASE_PINS } from '../../../../operations/release-pins.js';
import { SHOW_OBJECT } from '../../../../operations/show-object.js';
import { ERASE, EXPLAIN, PREVIEW_ERASURE } from '../../../../operations/under-lock.js';
import { veilExplanation } from '../../../../report/explain/veil-explanation.js';
import { type TenantRoute, tenantRoute } from './api-route.js';
import { entity, reason, text } from './inputs.js';
import * as people from './people-schemas.js';
import * as schemas from './schemas.js';
import { veilFound, veilObject } from './veil-documents.js';

const person = text.describe('Source key, e-mail, external id or id in the service.');

/** Routes about one person or object: the known data and the decisions. */
export const PEOPLE_API: readonly TenantRoute[] = [
  tenantRoute({
    ...{ method: 'GET', path: '/explain/:kind/:who', audience: 'viewer' },
    summary: 'The path of one person, customer or project through a run; reads the sources, and takes the run lock',
    operation: EXPLAIN,
    input: z.strictObject({ kind: text, who: text }),
    answer: schemas.Explanation,
    veil: (document, key) => veilExplanation(key, document),
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/stored/:entity/:who', audience: 'viewer' },
    summary: 'The same path from stored data of earlier runs; reads no source, and takes no lock',
    operation: EXPLAIN_STORED,
    input: z.strictObject({ entity, who: text }),
    answer: schemas.StoredExplanation,
    veil: ({ read_at, plan, ...explanation }, key) => ({ ...veilExplanation(key, explanation), read_at, plan }),
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/people', audience: 'viewer' },
    summary: 'Records and objects by key, address or part of a name, as they were last read',
    operation: FIND_PEOPLE,
    input: z.strictObject({ entity, words: text }),
    answer: schemas.FoundPeople,
    veil: veilFound,
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/people/:entity/:key', audience: 'viewer' },
    summary:
      'Both sides of one object by its key or id, and everything pending for it; reads neither sources nor service',
    ...{ operation: SHOW_OBJECT, input: z.strictObject({ entity, key: text }) },
    ...{ answer: people.ShownObject, veil: veilObject },
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/people/:entity/:key/pins/release', audience: 'approver' },
    summary: 'Let the next run write an undone value again',
    operation: RELEASE_PINS,
    input: z.strictObject({
      ...{ entity, key: text, reason },
      path: text.nullable().default(null).describe('`title.en`, or `existence`; all values of the object without it.'),
    }),
    answer: people.ReleasedPins,
    // The document has only paths and ids, so only an address in one of them could name a person.
    veil: (document) => document,
  }),
  tenantRoute({
    ...{ method: 'GET', path: '/people/users/:person/erase', audience: 'privacy', needsNames: true },
    summary: 'Everything stored about a person, before an erasure; takes the run lock',
    ...{ operation: PREVIEW_ERASURE, input: z.strictObject({ person }), answer: people.ErasurePreview },
  }),
  tenantRoute({
    ...{ method: 'POST', path: '/people/users/:person/erase', audience: 'privacy', needsNames: true },
    summary: 'Erase a person permanently; where approvals need two people, so does this',
    operation: ERASE,
    input: z.strictObject({ person, name: text.describe('A name of the person, to confirm it.'), reason }),
    answer: people.GivenErasure,
  }),
];

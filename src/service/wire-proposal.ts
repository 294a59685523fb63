import * as z from 'zod';
import { projectFields } from './wire.js';
import { plainSchemas } from './wire-plain.js';
import {
  externalId,
  flag,
  identifier,
  listOrNone,
  names,
  readId,
  readUserId,
  readWrapped,
  text,
} from './wire-values.js';

export const WireProposal = z.preprocess(
  readWrapped('offer'),
  z.object({
    id: identifier,
    ...plainSchemas('proposals'),
    created_at: text,
    updated_at: text,
    owner_id: text,
    owner_name: text,
    api_owner_id: text,
    api_owner_name: text,
  }),
);
export type WireProposal = z.infer<typeof WireProposal>;

/** The service also sends each API user's `access_token`; this schema does not name it, so it is dropped. */
export const WireCollaborators = z.object({
  api_users: listOrNone(z.preprocess(readId, z.object({ id: identifier, name: text, enabled: flag, roles: names }))),
  users: listOrNone(
    z.preprocess(
      readUserId,
      z.object({
        id: identifier,
        email: text,
        external_unique_id: externalId,
        office_id: text,
        office_name: text,
        country_id: text,
        name: text,
        default_cv_id: text,
      }),
    ),
  ),
});
export type WireCollaborators = z.infer<typeof WireCollaborators>;

/** A copy of a reference project in a proposal; `status` has the values of a tailored CV's. */
export const WireTailoredReference = z.preprocess(
  readWrapped('reference'),
  z
    .object({ ...projectFields, status: text })
    .transform(({ offices, ...project }) => ({ ...project, office_ids: offices })),
);
export type WireTailoredReference = z.infer<typeof WireTailoredReference>;

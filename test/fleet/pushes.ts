import type { Random } from '../../src/sandbox/company/random.js';
import type { Yaml } from '../scenarios/company.js';
import { type Company, findSettled } from './company.js';
import type { Node } from './node.js';

/** A telephone number that an identity provider has pushed. */
export interface Push {
  readonly tenant: string;
  readonly key: string;
  readonly phone: string;
  isAnswered: boolean;
}

export const SCIM_TOKEN = 'only-for-the-fleet-32-characters-long';

/** Added to a configuration that takes pushes from an identity provider. */
export const SCIM: Yaml = {
  sources: { idp: { type: 'scim-push', tokens: [{ env: 'SCIM_TOKEN' }], key: 'externalId' } },
  users: {
    enrich: { idp: { join: 'idp.externalId == hr.id' } },
    fields: { telephone: 'idp.?phone' },
  },
};

/** Creates one more user; each is pushed once. @returns a text about it; null: nobody is left */
export async function addPush(company: Company, node: Node, random: Random, pushes: Push[]): Promise<string | null> {
  const { name: tenant } = company;
  const keys = findSettled(company).filter((key) => !company.phones.has(key));
  if (keys.length === 0) return null;
  const key = random.pick(keys);
  const phone = `+47 555 ${String(pushes.length + 10_000)}`;
  const push: Push = { tenant, key, phone, isAnswered: false };
  pushes.push(push);
  company.phones.set(key, push);
  const { status } = await node.fetch(`/scim/v2/${tenant}/idp/Users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SCIM_TOKEN}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: `${key.toLowerCase()}@example.com`,
      externalId: key,
      phoneNumbers: [{ type: 'mobile', value: phone }],
    }),
  });
  push.isAnswered = status === 201;
  return `${key}: ${status}`;
}

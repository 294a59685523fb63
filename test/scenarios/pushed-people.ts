/** The configuration of a tenant whose people an identity provider pushes; all of them work in Oslo. */
export const PUSHED_PEOPLE = {
  sources: { entra: { type: 'scim-push', tokens: [{ env: 'IDP_TOKEN' }], key: 'externalId' } },
  users: {
    existence: 'entra',
    leaver: { when: 'record.active == false' },
    fields: {
      external_unique_id: 'record.?externalId',
      email: 'record.?email',
      name: 'record.?displayName',
      office: { country: '"no"', name: '"Oslo"' },
    },
  },
};

import { expect, it } from 'vitest';
import { Secret } from '../../src/base/secrets/secret.js';
import type { Config } from '../../src/config/config.js';
import { createConnectors } from '../../src/connectors/create-connectors.js';
import { SCIM_COLUMNS } from '../../src/connectors/scim-protocol/columns.js';
import { buildContext, csvConfig, NOTHING_PUSHED, scimConfig, streamConfig } from './fixtures.js';

it('creates one connector per readable stream', async () => {
  const sources: Config['sources'] = {
    hr: csvConfig('/drop/hr'),
    idp: scimConfig('http://127.0.0.1:1/scim/v2'),
    push: {
      type: 'scim-push',
      tokens: [new Secret('t')],
      baseUrl: null,
      trustedProxies: [],
      columns: SCIM_COLUMNS,
      key: 'id',
      prefer: null,
      mayBeEmpty: false,
      writeBack: null,
    },
    crm: {
      type: 'crm',
      streams: { companies: streamConfig('/drop/crm', '*.json'), deals: streamConfig('/drop/crm', '*.ndjson') },
    },
  };
  const connectors = await createConnectors({ sources } as Config, buildContext(), NOTHING_PUSHED);
  expect([...connectors.keys()]).toEqual(['hr', 'idp', 'push', 'crm.companies', 'crm.deals']);
  expect([...connectors.values()].map((connector) => connector.name)).toEqual([...connectors.keys()]);
});

import { buildQuestion, type Dialect } from '../../listed/dialect.js';
import { buildAddress } from '../../listed/next-page.js';
import type { WriteStrategy } from '../../listed/write-strategy.js';
import { PAST_LAST_DAY, type PeopleVendor } from '../vendor.js';

/** Reads a custom report as a web service. The report returns all workers and cannot list changes. */
const READ: Dialect = {
  whole: (stream) => [
    buildQuestion(stream, { url: buildAddress(stream.baseUrl, { format: 'json' }), handles: [400, 404] }),
  ],
  changes: () => [],
};

/** Rejects all writes, because a report is read-only. */
const WRITE: WriteStrategy = {
  perCall: 1,
  name: () => 'nothing',
  build: ({ baseUrl }) => ({ url: baseUrl }),
  judge: (_, records) => records.map(() => ({ status: 'lost' })),
  refusal: () => ({ message: 'a Workday report accepts no values', properties: [] }),
  encode: (value) => value,
  property: (_, column) => column,
  whyNotWritable: () => 'a Workday report accepts no values',
  findKeyProblem: () => 'a Workday report accepts no values',
};

/** Workday, read through a report with fields that have the names of the columns. */
export const WORKDAY: PeopleVendor = {
  noun: 'HR system',
  preset: {
    baseUrl: null,
    // A report has no pages, even with many workers.
    listing: { rows: '/Report_Entry', total: null, next: { kind: 'none' }, deleted: null, isEndTrusted: true },
    incremental: null,
    hasFilter: false,
    everyObject: { id: ['string!', '/id'], modified: ['datetime', '/modified'] },
    streams: {
      people: {
        object: '',
        columns: {
          first_name: ['string', '/first_name'],
          last_name: ['string', '/last_name'],
          preferred_name: ['string', '/preferred_name'],
          email: ['string', '/email'],
          title: ['string', '/title'],
          department: ['string', '/department'],
          office: ['string', '/office'],
          country: ['string', '/country'],
          manager_id: ['string', '/manager_id'],
          employee_number: ['string', '/employee_number'],
          phone: ['string', '/phone'],
          mobile: ['string', '/mobile'],
          start_date: ['date', '/start_date'],
          end_date: ['date', '/end_date'],
          status: ['string', '/status'],
          active: ['bool', '/active'],
          worker_type: ['string', '/worker_type'],
        },
      },
    },
    place: (property) => `/${property}`,
  },
  read: READ,
  write: WRITE,
  login: {
    needs: ['client_id', 'client_secret', 'refresh_token', 'tenant'],
    build({ client_id: client, client_secret: clientSecret, refresh_token: refreshToken, tenant }, baseUrl) {
      const [origin = ''] = /^https?:\/\/[^/]+/.exec(baseUrl) ?? [];
      const tokenUrl = `${origin}/ccx/oauth2/${encodeURIComponent(tenant.reveal())}/token`;
      const parameters = { grant_type: 'refresh_token' };
      const grant = () => ({ refresh_token: refreshToken.reveal() });
      const clientId = client.reveal();
      return { oauth2: { tokenUrl, clientId, clientSecret, scope: null, parameters, clientAuth: 'basic', grant } };
    },
  },
  leaver: PAST_LAST_DAY,
  absence: 'a report leaves out workers that the permissions of its user hide, without saying so',
};

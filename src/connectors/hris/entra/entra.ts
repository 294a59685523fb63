import type { Secret } from '../../../base/secrets/secret.js';
import type { HttpAuth } from '../../http/resolve-http.js';
import type { Preset } from '../../listed/preset.js';
import type { PeopleVendor } from '../vendor.js';
import { READ } from './read.js';
import { WRITE } from './write.js';

/** Microsoft Graph, as documented in November 2026. */
const PRESET: Preset = {
  baseUrl: 'https://graph.microsoft.com',
  listing: {
    rows: '/value',
    total: null,
    next: { kind: 'link', at: '/@odata.nextLink' },
    deleted: { at: '/@removed/reason', is: ['changed', 'deleted'], key: '/id' },
  },
  // Users have no time of change, so changes are read through a link.
  incremental: { modified: '/createdDateTime', time: 'iso' },
  hasFilter: true,
  readsFilteredWhole: true,
  everyObject: { id: ['string!', '/id'] },
  streams: {
    people: {
      object: '/v1.0/users',
      columns: {
        first_name: ['string', '/givenName'],
        last_name: ['string', '/surname'],
        display_name: ['string', '/displayName'],
        email: ['string', '/mail'],
        username: ['string', '/userPrincipalName'],
        title: ['string', '/jobTitle'],
        department: ['string', '/department'],
        company: ['string', '/companyName'],
        office: ['string', '/officeLocation'],
        country: ['string', '/country'],
        manager_id: ['string', '/manager/id'],
        employee_number: ['string', '/employeeId'],
        employee_type: ['string', '/employeeType'],
        phone: ['string', '/businessPhones/0'],
        mobile: ['string', '/mobilePhone'],
        start_date: ['date', '/employeeHireDate'],
        enabled: ['bool', '/accountEnabled'],
        user_type: ['string', '/userType'],
        created: ['datetime', '/createdDateTime'],
      },
    },
  },
  place: (property) => `/${property}`,
};

/** The login servers of the known clouds. For any other address, tokens are requested from the address itself. */
const LOGINS: Readonly<Record<string, string>> = {
  'https://graph.microsoft.com': 'https://login.microsoftonline.com',
  'https://graph.microsoft.us': 'https://login.microsoftonline.us',
  'https://dod-graph.microsoft.us': 'https://login.microsoftonline.us',
  'https://microsoftgraph.chinacloudapi.cn': 'https://login.chinacloudapi.cn',
};

interface AppLogin {
  readonly tenant: Secret;
  readonly client_id: Secret;
  readonly client_secret: Secret;
}

function logIn({ tenant, client_id, client_secret }: AppLogin, baseUrl: string): HttpAuth {
  return {
    oauth2: {
      tokenUrl: `${LOGINS[baseUrl] ?? baseUrl}/${encodeURIComponent(tenant.reveal())}/oauth2/v2.0/token`,
      clientId: client_id.reveal(),
      clientSecret: client_secret,
      scope: `${baseUrl}/.default`,
      parameters: {},
      clientAuth: 'form',
    },
  };
}

export const ENTRA: PeopleVendor = {
  noun: 'directory',
  preset: PRESET,
  read: READ,
  write: WRITE,
  login: { needs: ['tenant', 'client_id', 'client_secret'], build: logIn },
  leaver: null,
  absence:
    'lists of Microsoft Graph may lag behind the directory; a deletion shows in its changes, or by 404 for that one user',
};

import type { Vendor } from '../../../listed/listed-system.js';
import type { Preset } from '../../../listed/preset.js';
import { READ } from './read.js';
import { WRITE } from './write.js';

/** Converts a SOQL name such as `Owner.Email` to a pointer, because the response contains nested objects. */
const byDots = (property: string): string => `/${property.replaceAll('.', '/')}`;

const PRESET: Preset = {
  baseUrl: null,
  version: { usual: 'v60.0', form: /^v\d+\.0$/, like: '`v60.0`' },
  listing: {
    rows: '/records',
    total: '/totalSize',
    next: { kind: 'link', at: '/nextRecordsUrl' },
    deleted: { at: '/IsDeleted', is: null, key: null },
  },
  incremental: { modified: '/SystemModstamp', time: 'iso' },
  hasFilter: true,
  place: byDots,
  everyObject: {
    id: ['string!', '/Id'],
    created: ['datetime', '/CreatedDate'],
    modified: ['datetime', '/SystemModstamp'],
  },
  streams: {
    companies: {
      object: 'Account',
      columns: {
        name: ['string!', '/Name'],
        website: ['string', '/Website'],
        industry: ['string', '/Industry'],
        phone: ['string', '/Phone'],
        city: ['string', '/BillingCity'],
        country: ['string', '/BillingCountry'],
        description: ['string', '/Description'],
        employees: ['number', '/NumberOfEmployees'],
        owner_email: ['string', '/Owner/Email'],
      },
    },
    deals: {
      object: 'Opportunity',
      columns: {
        name: ['string!', '/Name'],
        customer_id: ['string', '/AccountId'],
        stage: ['string', '/StageName'],
        amount: ['number', '/Amount'],
        close_date: ['date', '/CloseDate'],
        is_closed: ['bool', '/IsClosed'],
        is_won: ['bool', '/IsWon'],
        description: ['string', '/Description'],
        owner_email: ['string', '/Owner/Email'],
      },
    },
  },
};

export const SALESFORCE: Vendor = { preset: PRESET, read: READ, write: WRITE };

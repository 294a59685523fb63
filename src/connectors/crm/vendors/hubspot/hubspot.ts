import type { Vendor } from '../../../listed/listed-system.js';
import type { Preset } from '../../../listed/preset.js';
import { READ } from './read.js';
import { WRITE } from './write.js';

const inProperties = (property: string): string => `/properties/${property}`;

const PRESET: Preset = {
  baseUrl: 'https://api.hubapi.com',
  // HubSpot recommends the newest dated version for new integrations; v3 is unsupported after September 2027 (checked
  // 2026-11).
  version: { usual: '2026-09', form: /^(v3|\d{4}-\d{2})$/, like: '`2026-09` or `v3`' },
  listing: {
    rows: '/results',
    total: null,
    next: { kind: 'token', at: '/paging/next/after', parameter: 'after' },
    deleted: { at: '/archived', is: null, key: null },
  },
  incremental: { modified: '/updatedAt', time: 'milliseconds' },
  hasFilter: false,
  place: inProperties,
  everyObject: {
    id: ['string!', '/id'],
    created: ['datetime', '/createdAt'],
    modified: ['datetime', '/updatedAt'],
  },
  streams: {
    companies: {
      object: 'companies',
      columns: {
        name: ['string!', '/properties/name'],
        domain: ['string', '/properties/domain'],
        website: ['string', '/properties/website'],
        industry: ['string', '/properties/industry'],
        phone: ['string', '/properties/phone'],
        city: ['string', '/properties/city'],
        country: ['string', '/properties/country'],
        description: ['string', '/properties/description'],
        employees: ['number', '/properties/numberofemployees'],
        owner_id: ['string', '/properties/hubspot_owner_id'],
      },
    },
    deals: {
      object: 'deals',
      columns: {
        name: ['string!', '/properties/dealname'],
        customer_id: ['string', '/properties/hs_primary_associated_company'],
        stage: ['string', '/properties/dealstage'],
        pipeline: ['string', '/properties/pipeline'],
        amount: ['number', '/properties/amount'],
        currency: ['string', '/properties/deal_currency_code'],
        close_date: ['datetime', '/properties/closedate'],
        is_closed: ['bool', '/properties/hs_is_closed'],
        is_won: ['bool', '/properties/hs_is_closed_won'],
        description: ['string', '/properties/description'],
        owner_id: ['string', '/properties/hubspot_owner_id'],
      },
    },
  },
};

export const HUBSPOT: Vendor = { preset: PRESET, read: READ, write: WRITE };

import { buildText, declare, NO_PARAMETER, type Preset, type Ships } from '../preset.js';

const inProperties = (property: string): string => `/properties/${property}`;
const HUBSPOT_OBJECT: Ships = {
  id: ['string!', '/id'],
  created: ['datetime', '/createdAt'],
  modified: ['datetime', '/updatedAt'],
};
export const PRESET: Preset = {
  baseUrl: 'https://api.hubapi.com',
  listing: {
    rows: '/results',
    total: null,
    next: { kind: 'token', at: '/paging/next/after', parameter: 'after' },
    deleted: { at: '/archived', is: null, key: null },
  },
  incremental: { ...NO_PARAMETER, modified: '/updatedAt', time: 'milliseconds' },
  hasFilter: false,
  place: inProperties,
  text: buildText(inProperties),
  everyObject: declare(HUBSPOT_OBJECT),
  streams: {
    companies: {
      object: 'companies',
      columns: declare({
        ...HUBSPOT_OBJECT,
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
      }),
    },
    deals: {
      object: 'deals',
      columns: declare({
        ...HUBSPOT_OBJECT,
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
      }),
    },
  },
};

import { buildText, declare, NO_PARAMETER, type Preset, type Ships } from '../preset.js';

/** `Owner.Email` of SOQL is an object in an object of the answer. */
const byDots = (property: string): string => `/${property.replaceAll('.', '/')}`;
const SALESFORCE_OBJECT: Ships = {
  id: ['string!', '/Id'],
  created: ['datetime', '/CreatedDate'],
  modified: ['datetime', '/SystemModstamp'],
};
export const PRESET: Preset = {
  baseUrl: null,
  listing: {
    rows: '/records',
    total: '/totalSize',
    next: { kind: 'link', at: '/nextRecordsUrl' },
    deleted: { at: '/IsDeleted', is: null, key: null },
  },
  incremental: { ...NO_PARAMETER, modified: '/SystemModstamp' },
  hasFilter: true,
  place: byDots,
  text: buildText(byDots),
  everyObject: declare(SALESFORCE_OBJECT),
  streams: {
    companies: {
      object: 'Account',
      columns: declare({
        ...SALESFORCE_OBJECT,
        name: ['string!', '/Name'],
        website: ['string', '/Website'],
        industry: ['string', '/Industry'],
        phone: ['string', '/Phone'],
        city: ['string', '/BillingCity'],
        country: ['string', '/BillingCountry'],
        description: ['string', '/Description'],
        employees: ['number', '/NumberOfEmployees'],
        owner_email: ['string', '/Owner/Email'],
      }),
    },
    deals: {
      object: 'Opportunity',
      columns: declare({
        ...SALESFORCE_OBJECT,
        name: ['string!', '/Name'],
        customer_id: ['string', '/AccountId'],
        stage: ['string', '/StageName'],
        amount: ['number', '/Amount'],
        close_date: ['date', '/CloseDate'],
        is_closed: ['bool', '/IsClosed'],
        is_won: ['bool', '/IsWon'],
        description: ['string', '/Description'],
        owner_email: ['string', '/Owner/Email'],
      }),
    },
  },
};

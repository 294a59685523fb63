import { buildText, declare, NO_PARAMETER, type Preset, type Ships } from '../preset.js';

/** The word that people see for a number that Dynamics keeps. */
const WORD = '@OData.Community.Display.V1.FormattedValue';
const atTop = (property: string): string => `/${property}`;
const DYNAMICS_OBJECT: Ships = { created: ['datetime', '/createdon'], modified: ['datetime', '/modifiedon'] };
export const PRESET: Preset = {
  baseUrl: null,
  listing: {
    rows: '/value',
    total: null,
    next: { kind: 'link', at: '/@odata.nextLink' },
    deleted: { at: '/reason', is: ['deleted'], key: '/id' },
  },
  incremental: { ...NO_PARAMETER, modified: '/modifiedon' },
  hasFilter: true,
  place: atTop,
  text: buildText(atTop),
  everyObject: declare(DYNAMICS_OBJECT),
  streams: {
    companies: {
      object: 'accounts',
      columns: declare({
        ...DYNAMICS_OBJECT,
        id: ['string!', '/accountid'],
        name: ['string!', '/name'],
        website: ['string', '/websiteurl'],
        industry: ['string', `/industrycode${WORD}`],
        phone: ['string', '/telephone1'],
        city: ['string', '/address1_city'],
        country: ['string', '/address1_country'],
        description: ['string', '/description'],
        employees: ['number', '/numberofemployees'],
        owner_id: ['string', '/_ownerid_value'],
      }),
    },
    deals: {
      object: 'opportunities',
      columns: declare({
        ...DYNAMICS_OBJECT,
        id: ['string!', '/opportunityid'],
        name: ['string!', '/name'],
        customer_id: ['string', '/_parentaccountid_value'],
        stage: ['string', '/stepname'],
        status: ['string', `/statecode${WORD}`],
        amount: ['number', '/estimatedvalue'],
        close_date: ['date', '/estimatedclosedate'],
        description: ['string', '/description'],
        owner_id: ['string', '/_ownerid_value'],
      }),
    },
  },
};

import type { Vendor } from '../../../listed/listed-system.js';
import type { Preset } from '../../../listed/preset.js';
import { READ } from './read.js';
import { WRITE } from './write.js';

/** The suffix of the property with the label that Dynamics displays for a stored number. */
const WORD = '@OData.Community.Display.V1.FormattedValue';
const atTop = (property: string): string => `/${property}`;

const PRESET: Preset = {
  baseUrl: null,
  version: { usual: 'v9.2', form: /^v\d+\.\d+$/, like: '`v9.2`' },
  listing: {
    rows: '/value',
    total: null,
    next: { kind: 'link', at: '/@odata.nextLink' },
    deleted: { at: '/reason', is: ['deleted'], key: '/id' },
  },
  incremental: { modified: '/modifiedon', time: 'iso' },
  hasFilter: true,
  place: atTop,
  everyObject: { created: ['datetime', '/createdon'], modified: ['datetime', '/modifiedon'] },
  streams: {
    companies: {
      object: 'accounts',
      columns: {
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
      },
    },
    deals: {
      object: 'opportunities',
      columns: {
        id: ['string!', '/opportunityid'],
        name: ['string!', '/name'],
        customer_id: ['string', '/_parentaccountid_value'],
        stage: ['string', '/stepname'],
        status: ['string', `/statecode${WORD}`],
        amount: ['number', '/estimatedvalue'],
        close_date: ['date', '/estimatedclosedate'],
        description: ['string', '/description'],
        owner_id: ['string', '/_ownerid_value'],
      },
    },
  },
};

export const DYNAMICS: Vendor = { preset: PRESET, read: READ, write: WRITE };

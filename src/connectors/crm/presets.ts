import type { Column, Columns, ColumnTypeName } from '../../model/column.js';
import type { CrmDialect, CrmFeedConfig, IncrementalConfig } from './feed-config.js';

/** What a vendor's systems have in common, so that a configuration needs no more than an address and a login. */
export interface Preset {
  readonly dialect: CrmDialect;
  /** null where each customer has an address of its own. */
  readonly baseUrl: string | null;
  readonly listing: Pick<CrmFeedConfig, 'rows' | 'total' | 'next' | 'deleted'>;
  readonly incremental: Pick<IncrementalConfig, 'modified' | 'parameter' | 'template' | 'time'>;
  readonly hasFilter: boolean;
  readonly streams: Readonly<Record<string, { readonly object: string; readonly columns: Columns }>>;
  /** The columns that objects of the customer's own have too. */
  readonly everyObject: Columns;
  /** Where a property stands in a row. */
  place(property: string): string;
  /** A property as a column: text that may be missing. */
  text(property: string): Column;
}

/** Name of a column → its type and where it stands; `!` after the type: there in every row. */
type Ships = Readonly<Record<string, readonly [ColumnTypeName | 'string!', string]>>;

function declare(ships: Ships): Columns {
  return Object.fromEntries(
    Object.entries(ships).map(([name, [type, from]]): [string, Column] => [
      name,
      {
        type: type === 'string!' ? 'string' : type,
        optional: type !== 'string!',
        format: null,
        trueWords: null,
        separator: ';',
        from,
      },
    ]),
  );
}

function buildText(place: (property: string) => string): (property: string) => Column {
  return (property) => ({
    type: 'string',
    optional: true,
    format: null,
    trueWords: null,
    separator: ';',
    from: place(property),
  });
}

const NOTHING = { modified: '', parameter: '', template: '{since}', time: 'iso' } as const;

const inProperties = (property: string): string => `/properties/${property}`;
const HUBSPOT_OBJECT: Ships = {
  id: ['string!', '/id'],
  created: ['datetime', '/createdAt'],
  modified: ['datetime', '/updatedAt'],
};
const HUBSPOT: Preset = {
  dialect: 'hubspot',
  baseUrl: 'https://api.hubapi.com',
  listing: {
    rows: '/results',
    total: null,
    next: { kind: 'token', at: '/paging/next/after', parameter: 'after' },
    deleted: { at: '/archived', is: null, key: null },
  },
  incremental: { ...NOTHING, modified: '/updatedAt', time: 'milliseconds' },
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

/** `Owner.Email` of SOQL is an object in an object of the answer. */
const byDots = (property: string): string => `/${property.replaceAll('.', '/')}`;
const SALESFORCE_OBJECT: Ships = {
  id: ['string!', '/Id'],
  created: ['datetime', '/CreatedDate'],
  modified: ['datetime', '/SystemModstamp'],
};
const SALESFORCE: Preset = {
  dialect: 'salesforce',
  baseUrl: null,
  listing: {
    rows: '/records',
    total: '/totalSize',
    next: { kind: 'link', at: '/nextRecordsUrl' },
    deleted: { at: '/IsDeleted', is: null, key: null },
  },
  incremental: { ...NOTHING, modified: '/SystemModstamp' },
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

/** The word that people see for a number that Dynamics keeps. */
const WORD = '@OData.Community.Display.V1.FormattedValue';
const atTop = (property: string): string => `/${property}`;
const DYNAMICS_OBJECT: Ships = { created: ['datetime', '/createdon'], modified: ['datetime', '/modifiedon'] };
const DYNAMICS: Preset = {
  dialect: 'dynamics',
  baseUrl: null,
  listing: {
    rows: '/value',
    total: null,
    next: { kind: 'link', at: '/@odata.nextLink' },
    deleted: { at: '/reason', is: ['deleted'], key: '/id' },
  },
  incremental: { ...NOTHING, modified: '/modifiedon' },
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

export const PRESETS = { hubspot: HUBSPOT, salesforce: SALESFORCE, dynamics: DYNAMICS } as const satisfies Readonly<
  Record<string, Preset>
>;

import {
  createSobjectStore,
  type Fields,
  type SalesforceData,
  type SalesforceRow,
  type SalesforceSeed,
  SOBJECTS,
  type Sobject,
  SYSTEM_FIELDS,
} from './salesforce-data.js';
import { notFound, refusal, refuse } from './salesforce-errors.js';
import { readQuery, readTable, selectRows, show } from './salesforce-query.js';
import type { Soql } from './soql.js';
import {
  type Json,
  type Now,
  readJson,
  readList,
  startVendor,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from './vendor-server.js';

export interface SalesforceOptions extends SalesforceSeed {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly now?: Now;
  /** The most records per page; Salesforce may send fewer than requested. */
  readonly batchSize?: number;
  /** The most calls per day. */
  readonly apiLimit?: number;
  /** Returns why a record of a collection cannot be saved, such as a validation rule or a lock, or null. */
  readonly validate?: (id: string, fields: Fields) => SaveError | null;
}

export interface SaveError {
  readonly statusCode: string;
  readonly message: string;
  readonly fields: readonly string[];
}

export interface Salesforce extends VendorServer {
  readonly data: SalesforceData;
  readonly clientId: string;
  readonly clientSecret: string;
  batchSize: number;
  apiLimit: number;
  apiUsage: number;
  /** Ends sessions as a session timeout or an administrator does; a token never says when it expires. */
  expireSessions(): void;
  expireLocators(): void;
}

/** The limits of Sforce-Query-Options, of a collection’s records and of an address. */
const BATCH = { least: 200, most: 2000 };
const COLLECTION = 200;
const ADDRESS = 16_384;
const LOCATOR_LIFETIME_MS = 2 * 24 * 60 * 60_000;

interface Cursor {
  readonly soql: Soql;
  readonly rows: readonly SalesforceRow[];
  readonly openedAt: number;
}

/**
 * Imitates OAuth client credentials, query, queryAll and sObject rows of Salesforce, as the REST API guide describes
 * them.
 */
export async function createSalesforce(options: SalesforceOptions = {}): Promise<Salesforce> {
  const now = options.now ?? Date.now;
  const data = createSobjectStore(options, now);
  const sessions = new Set<string>();
  const cursors = new Map<string, Cursor>();
  let issued = 0;

  function answer(request: VendorRequest, url: string): VendorReply {
    if (request.path === '/services/oauth2/token') return issueToken(request, url);
    const [, version, rest = ''] = /^\/services\/data\/(v\d+\.0)\/?(.*)$/.exec(request.path) ?? [];
    if (version === undefined) throw refusal(404, 'NOT_FOUND', 'The requested resource does not exist');
    if (!sessions.has(request.headers.authorization?.replace(/^(Bearer|OAuth) /, '') ?? '')) {
      throw refusal(401, 'INVALID_SESSION_ID', 'Session expired or invalid');
    }
    if (request.path.length + request.query.toString().length > ADDRESS) return { status: 414, body: 'URI Too Long' };
    if (server.apiUsage >= server.apiLimit) {
      throw refusal(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.');
    }
    server.apiUsage += 1;
    const reply = route(request, `/services/data/${version}`, rest);
    return {
      ...reply,
      headers: { 'sforce-limit-info': `api-usage=${server.apiUsage}/${server.apiLimit}`, ...reply.headers },
    };
  }

  /** The secret comes in the form or in a Basic header. The answer names no lifetime. */
  function issueToken(request: VendorRequest, url: string): VendorReply {
    const form = new URLSearchParams(request.body);
    const basic = Buffer.from(request.headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
    const [id, secret] = basic === '' ? [form.get('client_id'), form.get('client_secret')] : basic.split(':');
    const error = (code: string, description: string) => ({
      status: 400,
      body: { error: code, error_description: description },
    });
    if (form.get('grant_type') !== 'client_credentials') {
      return error('unsupported_grant_type', 'grant type not supported');
    }
    if (id !== server.clientId) return error('invalid_client_id', 'client identifier invalid');
    if (secret !== server.clientSecret) return error('invalid_client', 'invalid client credentials');
    issued += 1;
    const access_token = `00DQz0000000001!imitation${issued}`;
    sessions.add(access_token);
    const rest = { signature: 'c2lnbmF0dXJl', scope: 'api', id: `${url}/id/00DQz0000000001/005Qz0000000001` };
    return {
      status: 200,
      body: { access_token, instance_url: url, token_type: 'Bearer', issued_at: String(now()), ...rest },
    };
  }

  function route(request: VendorRequest, base: string, rest: string): VendorReply {
    const [, kind, locator] = /^(query|queryAll)(?:\/(.+))?$/.exec(rest) ?? [];
    if (kind !== undefined && request.method === 'GET') {
      if (locator !== undefined) return readOn(request, base, locator);
      return query(request, base, kind === 'queryAll');
    }
    if (rest === 'limits') {
      const DailyApiRequests = { Max: server.apiLimit, Remaining: server.apiLimit - server.apiUsage };
      return { status: 200, body: { DailyApiRequests } };
    }
    if (rest === 'composite/sobjects' && request.method === 'PATCH') {
      return updateCollection(data, readBody(request), options.validate ?? (() => null));
    }
    const [, name, id] = /^sobjects\/(\w+)\/(\w+)$/.exec(rest) ?? [];
    if (name === undefined || id === undefined) throw notFound();
    return answerOne(data, request, base, readTable(name), id);
  }

  function query(request: VendorRequest, base: string, withDeleted: boolean): VendorReply {
    const soql = readQuery(request.query.get('q') ?? '', data);
    const asked = selectRows(soql, data, withDeleted);
    if (soql.fields === null) return { status: 200, body: { totalSize: asked.length, done: true, records: [] } };
    const id = `0r8Qz${String(cursors.size + 1).padStart(13, '0')}`;
    cursors.set(id, { soql, rows: asked, openedAt: now() });
    return readOn(request, base, `${id}-0`);
  }

  /** The rows are those at the time of the query, even if they changed since. */
  function readOn(request: VendorRequest, base: string, locator: string): VendorReply {
    const [id = '', from = ''] = locator.split('-');
    const cursor = cursors.get(id);
    if (cursor === undefined || !/^\d+$/.test(from) || now() - cursor.openedAt > LOCATOR_LIFETIME_MS) {
      throw refusal(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
    }
    const { soql, rows } = cursor;
    const start = Number(from);
    const end = start + Math.min(askedBatch(request), server.batchSize);
    const records = rows
      .slice(start, end)
      .map((row) => show(data, base, readTable(soql.table), row, soql.fields ?? []));
    const done = end >= rows.length;
    const next = done ? {} : { nextRecordsUrl: `${base}/query/${id}-${end}` };
    return { status: 200, body: { totalSize: rows.length, done, ...next, records } };
  }

  const server: Salesforce = Object.assign(await startVendor({ answer, refuse }), {
    data,
    clientId: options.clientId ?? 'imitated-client',
    clientSecret: options.clientSecret ?? 'imitated-secret',
    batchSize: options.batchSize ?? BATCH.most,
    apiLimit: options.apiLimit ?? 15_000,
    apiUsage: 0,
    expireSessions: () => sessions.clear(),
    expireLocators: () => cursors.clear(),
  });
  return server;
}

function askedBatch(request: VendorRequest): number {
  const header = request.headers['sforce-query-options'];
  const asked = /batchSize=(\d+)/i.exec(String(header ?? ''))?.[1];
  return asked === undefined ? BATCH.most : Math.min(BATCH.most, Math.max(BATCH.least, Number(asked)));
}

function answerOne(
  data: SalesforceData,
  request: VendorRequest,
  base: string,
  table: Sobject,
  id: string,
): VendorReply {
  const row = data.find(table, id);
  if (row === undefined) throw notFound();
  if (row.IsDeleted) throw refusal(404, 'ENTITY_IS_DELETED', 'entity is deleted');
  if (request.method === 'GET') {
    const fields = request.query.get('fields')?.split(',') ?? [...SYSTEM_FIELDS, ...SOBJECTS[table].fields];
    return { status: 200, body: show(data, base, table, row, fields) };
  }
  if (request.method === 'PATCH') data.update(table, id, readFields(data, table, readBody(request)));
  else if (request.method === 'DELETE') data.remove(table, id);
  else throw refusal(405, 'METHOD_NOT_ALLOWED', 'HTTP Method not allowed.');
  return { status: 204 };
}

/**
 * Each record has its own result, in the order of the records; with allOrNone, one failure undoes all. A malformed
 * request, with an unknown field or a value of the wrong type, is rejected before anything is changed.
 */
function updateCollection(
  data: SalesforceData,
  body: Json,
  validate: NonNullable<SalesforceOptions['validate']>,
): VendorReply {
  const records = readList(body.records);
  if (records.length > COLLECTION) {
    throw refusal(400, 'EXCEEDED_MAX_SEMIJOIN', `record limit reached: at most ${COLLECTION} records`);
  }
  const steps = records.map((record) => {
    const table = readTable(String((record.attributes as Json | undefined)?.type));
    const id = String(record.id ?? record.Id);
    const fields = readFields(data, table, record);
    return { table, id, fields, error: findSaveError(data.find(table, id)) ?? validate(id, fields) };
  });
  const isRolledBack = body.allOrNone === true && steps.some(({ error }) => error !== null);
  const results = steps.map(({ table, id, fields, error }) => {
    const failure = error ?? (isRolledBack ? saveError('ALL_OR_NONE_OPERATION_ROLLED_BACK') : null);
    if (failure !== null) return { id, success: false, errors: [failure] };
    data.update(table, id, fields);
    return { id, success: true, errors: [] };
  });
  return { status: 200, body: results };
}

function findSaveError(row: SalesforceRow | undefined): SaveError | null {
  if (row === undefined) return saveError('INVALID_CROSS_REFERENCE_KEY');
  return row.IsDeleted ? saveError('ENTITY_IS_DELETED') : null;
}

function saveError(statusCode: string): SaveError {
  return { statusCode, message: statusCode.toLowerCase().replaceAll('_', ' '), fields: [] };
}

function readFields(data: SalesforceData, table: Sobject, record: Json): Fields {
  const { attributes: _, id: __, Id: ___, ...given } = record;
  for (const name of Object.keys(given)) {
    if (!data.isField(table, name))
      throw refusal(400, 'INVALID_FIELD', `No such column '${name}' on sobject of type ${table}`);
    if (name === 'NumberOfEmployees' && typeof given[name] === 'string') {
      throw refusal(400, 'JSON_PARSER_ERROR', 'Cannot deserialize instance of int from VALUE_STRING value many');
    }
    if (SYSTEM_FIELDS.includes(name)) throw refusal(400, 'INVALID_FIELD_FOR_INSERT_UPDATE', `cannot write ${name}`);
  }
  return given as Fields;
}

function readBody(request: VendorRequest): Json {
  return readJson(request, refusal(400, 'JSON_PARSER_ERROR', 'The HTTP entity body is not JSON').reply);
}

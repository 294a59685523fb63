import type { JsonObject } from '../../model/json.js';
import { compileSameness } from '../cells/encode-cell.js';
import type { ConnectorContext } from '../connector.js';
import {
  compileTranslation,
  loseRecords,
  type RecordCalls,
  type SentRecord,
  sendRecords,
} from '../http/send-records.js';
import { flattenUser } from '../scim-protocol/flatten-user.js';
import type { SourceWriter } from '../source-writer.js';
import { ScimClient } from './client.js';
import { buildOperations, hasListed, needsUser } from './patch-operations.js';
import type { ScimSourceConfig } from './resolve.js';
import { type FoundUser, findUser, type Patched, patchUser, readUser, refusePatch, supportsPatch } from './users.js';
import { whyNotWritable } from './writable.js';

/** Writes to the users of an identity provider with one PATCH per user, over SCIM 2.0. */
export function createScimWriter(name: string, config: ScimSourceConfig, context: ConnectorContext): SourceWriter {
  const { timezone } = context;
  const client = new ScimClient(config, context, 'write');
  const findDifference = compileDifference(config, timezone);
  const calls: RecordCalls = {
    perCall: 1,
    at: 'PATCH /Users',
    translate: compileTranslation(config, timezone, (column) => whyNotWritable(config, column)),
    async send(records, onOutcome, signal) {
      const [one] = records;
      if (one === undefined) return undefined;
      const patched = await findAndPatch(client, config, one, signal);
      const { at } = patched;
      if ('lost' in patched) return loseRecords(records, at, patched, onOutcome);
      const { requestId } = patched;
      const message = 'refused' in patched ? patched.refused : findDifference(one.cells, patched.user);
      const done = { record: one.record, status: 'done', at, requestId } as const;
      onOutcome(message === null ? done : { ...done, status: 'refused', message });
      return undefined;
    },
  };
  return {
    name,
    forecast: (records) => ({
      ...(config.key === 'id' ? {} : { 'GET /Users?filter': records }),
      'PATCH /Users/{id}': records,
    }),
    write: (writes, _delivery, onOutcome, signal) => sendRecords(calls, writes, onOutcome, signal),
    async probe(signal) {
      const canPatch = await supportsPatch(client, signal);
      const at = `PATCH ${client.base}/Users/{id}`;
      if (canPatch === false) throw refusePatch('The identity provider says that it does not support PATCH.', at);
      return { at, detail: `the provider ${canPatch === true ? 'supports' : 'does not say if it supports'} PATCH` };
    },
    close: () => client.http.close(),
  };
}

async function findAndPatch(
  client: ScimClient,
  { key }: ScimSourceConfig,
  { record, cells }: SentRecord,
  signal: AbortSignal | undefined,
): Promise<Patched> {
  let found: FoundUser = key === 'id' ? { id: record, user: null } : await findUser(client, key, record, signal);
  if (!('problem' in found) && found.user === null && needsUser(cells)) found = await readUser(client, record, signal);
  if ('problem' in found) return { at: found.at, requestId: null, refused: found.problem, isOfPath: false };
  const { id, user } = found;
  const patched = await patchUser(client, id, buildOperations(cells, user), signal);
  if (!('refused' in patched) || !patched.isOfPath || user !== null || !hasListed(cells)) return patched;
  // If there was nothing to replace (RFC 7644, 3.5.2.3), the operations are built for the user's current values.
  const read = await readUser(client, id, signal);
  return 'problem' in read ? patched : patchUser(client, id, buildOperations(cells, read.user), signal);
}

/**
 * Compares sent values with the response, if it contains the user. Providers drop values that they do not know, or store
 * them in another form.
 */
function compileDifference({ columns }: ScimSourceConfig, timezone: string) {
  const sameness = new Map(Object.entries(columns).map(([name, column]) => [name, compileSameness(column, timezone)]));
  return (cells: JsonObject, user: JsonObject | null): string | null => {
    if (user === null) return null;
    const shown = flattenUser(user, Object.keys(cells));
    for (const [column, value] of Object.entries(cells)) {
      const came = shown[column] ?? null;
      if (sameness.get(column)?.(value, came) === false) {
        return `The identity provider stored another \`${column}\`: ${came === null ? 'none' : JSON.stringify(came)}.`;
      }
    }
    return null;
  };
}

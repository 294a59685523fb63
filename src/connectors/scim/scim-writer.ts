import { SyncError } from '../../errors.js';
import type { JsonObject } from '../../model/json.js';
import type { SourceWrite, WriteOutcome } from '../../model/write-back.js';
import { flattenUser } from '../../scim/flatten-user.js';
import { BadCell } from '../cells/cells.js';
import { compileEncoder, compileSameness } from '../cells/encode-cell.js';
import type { ConnectorContext } from '../connector.js';
import { findKeyFault, loseRecords, type SendResult, sendRecords } from '../http/send-records.js';
import type { SourceWriter } from '../source-writer.js';
import type { ScimSourceConfig } from './kind.js';
import { buildOperations, hasListed, needsUser } from './patch-operations.js';
import { createUsers, type FoundUser, type Patched } from './users.js';
import { whyNotWritable } from './writable.js';

/** Writes to the users of an identity provider: one PATCH a user, over SCIM 2.0. */
export function createScimWriter(name: string, config: ScimSourceConfig, context: ConnectorContext): SourceWriter {
  const users = createUsers(config, context);
  const columns = new Map(
    Object.entries(config.columns).map(([column, declared]) => {
      const [why, encode] = [whyNotWritable(config, column), compileEncoder(declared, context.timezone)];
      return [column, { why, encode, isSame: compileSameness(declared, context.timezone) }] as const;
    }),
  );
  const isKeyId = config.key === 'id';

  /** The values as the provider holds them, or why they cannot be written. */
  function translate(cells: SourceWrite['cells']): JsonObject | string {
    const told: Record<string, JsonObject[string]> = {};
    for (const [column, value] of Object.entries(cells)) {
      const declared = columns.get(column);
      if (declared === undefined || declared.why !== null) {
        return `\`${column}\` cannot be written: ${declared?.why ?? 'there is no such column'}.`;
      }
      const encoded = declared.encode(value);
      if (encoded instanceof BadCell) return `\`${column}\` was to be ${encoded.found}, expected ${encoded.expected}.`;
      told[column] = encoded;
    }
    return told;
  }

  async function tell({ record, cells }: SourceWrite, signal: AbortSignal | undefined): Promise<SendResult> {
    const refuse = (message: string, at = 'PATCH /Users', requestId: string | null = null): SendResult => ({
      outcomes: [{ record, status: 'refused', at, requestId, message }],
    });
    const fault = findKeyFault(record);
    const told = fault === null ? translate(cells) : `It cannot be written: ${fault}.`;
    if (typeof told === 'string') return refuse(told);
    try {
      let found: FoundUser = isKeyId ? { id: record, user: null } : await users.find(record, signal);
      if (!('problem' in found) && found.user === null && needsUser(told)) found = await users.read(record, signal);
      if ('problem' in found) return refuse(found.problem, found.at);
      const patched = await patch(found, told, signal);
      const { at } = patched;
      if ('lost' in patched) return loseRecords([{ record }], at, patched.lost, patched.error);
      const problem = 'refused' in patched ? patched.refused : findDifference(told, patched.user);
      if (problem !== null) return refuse(problem, at, patched.requestId);
      const outcome: WriteOutcome = { record, status: 'done', at, requestId: patched.requestId };
      return { outcomes: [outcome] };
    } catch (error) {
      return { outcomes: [], stop: error };
    }
  }

  /** Where nothing is there to be replaced (RFC 7644, 3.5.2.3), what is there is looked at, and it is said exactly. */
  async function patch(
    { id, user }: { readonly id: string; readonly user: JsonObject | null },
    told: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<Patched> {
    const patched = await users.patch(id, buildOperations(told, user), signal);
    if (!('refused' in patched) || !patched.isOfPath || user !== null || !hasListed(told)) return patched;
    const found = await users.read(id, signal);
    return 'problem' in found ? patched : users.patch(id, buildOperations(told, found.user), signal);
  }

  /** Providers drop what they do not know, or keep it in another form: the answer shows it, where it has the user. */
  function findDifference(told: JsonObject, user: JsonObject | null): string | null {
    if (user === null) return null;
    const shown = flattenUser(user, Object.keys(told));
    for (const [column, value] of Object.entries(told)) {
      const came = shown[column] ?? null;
      if (columns.get(column)?.isSame(value, came) === false) {
        return `The identity provider keeps another \`${column}\`: ${came === null ? 'none' : JSON.stringify(came)}.`;
      }
    }
    return null;
  }

  return {
    name,
    forecast: (records) => ({
      ...(isKeyId ? {} : { 'GET /Users?filter': records }),
      'PATCH /Users/{id}': records,
    }),
    write: (writes, _delivery, onOutcome, signal) =>
      sendRecords(
        writes,
        1,
        ([one]) => (one === undefined ? Promise.resolve({ outcomes: [] }) : tell(one, signal)),
        onOutcome,
        signal,
      ),
    async probe(signal) {
      const canPatch = await users.probe(signal);
      const at = `PATCH ${users.base}/Users/{id}`;
      if (canPatch !== false) {
        return {
          at,
          detail: canPatch === true ? 'the provider takes PATCH' : 'the provider does not say whether it takes PATCH',
        };
      }
      throw new SyncError('SYNC_SOURCE_UNWRITABLE', {
        message: 'The identity provider says that it does not support PATCH.',
        place: at,
        remedy: "Remove the source's `write_back`, or have PATCH allowed.",
      });
    },
    close: () => users.close(),
  };
}

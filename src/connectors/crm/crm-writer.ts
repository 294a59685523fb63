import type { SourceWrite, WriteOutcome } from '../../model/write-back.js';
import { BadCell } from '../cells/cells.js';
import { compileEncoder } from '../cells/encode-cell.js';
import type { ConnectorContext } from '../connector.js';
import { stripQuery } from '../http/addresses.js';
import { createHttpSource, type HttpAnswer, refuseExhausted } from '../http/http-source.js';
import { findKeyFault, loseRecords, readRequestId, type SendResult, sendRecords } from '../http/send-records.js';
import type { SourceWriter } from '../source-writer.js';
import type { ListedStreamConfig } from './listed-stream.js';
import { refuseStatus } from './listing-rules.js';
import { SYSTEMS } from './systems.js';
import { placeOf, type SentRecord } from './vendors/write-strategy.js';
import { whyNotWritable } from './writable.js';

/** Writes to one stream of a CRM that is asked over HTTP. `name` is `crm.companies`. */
export function createCrmWriter(name: string, stream: ListedStreamConfig, context: ConnectorContext): SourceWriter {
  const { read: dialect, write: manner } = SYSTEMS[stream.dialect];
  const http = createHttpSource(
    {
      system: 'CRM',
      access: stream.access,
      accept: 'application/json',
      right: `change ${stream.path}`,
      addressHint: "Check the source's `base_url`, and the stream's `write_back`.",
      purpose: 'write',
      exhausted: dialect.exhausted,
    },
    context,
  );
  const columns = new Map(
    Object.entries(stream.columns).map(([column, config]) => {
      const place = placeOf(stream, column);
      const [why, encode] = [whyNotWritable(stream, column), compileEncoder(config, context.timezone)];
      return [column, { config, why, encode, property: manner.property(place, column) }] as const;
    }),
  );

  /** A record in the system's words, or why it cannot be told. */
  function translate({ record, cells }: SourceWrite): SentRecord | string {
    const fault = findKeyFault(record);
    if (fault !== null) return `It cannot be written: ${fault}.`;
    const told: [string, SentRecord['cells'][string]][] = [];
    for (const [name, value] of Object.entries(cells)) {
      const column = columns.get(name);
      if (column === undefined || column.why !== null)
        return `\`${name}\` cannot be written: ${column?.why ?? 'there is no such column'}.`;
      const encoded = column.encode(value);
      if (encoded instanceof BadCell) return `\`${name}\` was to be ${encoded.found}, expected ${encoded.expected}.`;
      told.push([column.property, manner.encode(encoded, column.config)]);
    }
    return { record, cells: Object.fromEntries(told) };
  }

  async function tell(writes: readonly SourceWrite[], signal: AbortSignal | undefined): Promise<SendResult> {
    const records: SentRecord[] = [];
    const outcomes: WriteOutcome[] = [];
    for (const write of writes) {
      const told = translate(write);
      if (typeof told !== 'string') records.push(told);
      else
        outcomes.push({
          record: write.record,
          status: 'refused',
          at: manner.name(stream),
          requestId: null,
          message: told,
        });
    }
    const sent = await send(records, signal);
    return { ...sent, outcomes: [...outcomes, ...sent.outcomes] };
  }

  async function send(records: readonly SentRecord[], signal: AbortSignal | undefined): Promise<SendResult> {
    if (records.length === 0) return { outcomes: [] };
    const call = manner.build(stream, records);
    const at = `${call.method} ${stripQuery(call.url).slice(stripQuery(stream.baseUrl).length)}`;
    try {
      const written = await http.write(call, signal);
      if ('lost' in written) return loseRecords(records, at, written.lost, written.error);
      const { answer } = written;
      const verdicts = manner.judge(answer, records);
      if (verdicts === null) return await sendInParts(records, answer, at, signal);
      const requestId = readRequestId(answer);
      const outcomes = records.map(
        ({ record }, index): WriteOutcome => ({ record, at, requestId, ...(verdicts[index] ?? { status: 'lost' }) }),
      );
      const limit = dialect.nearLimit(answer);
      return limit === null ? { outcomes } : { outcomes, stop: refuseExhausted('CRM', answer.at, limit, true) };
    } catch (error) {
      return { outcomes: [], stop: error };
    }
  }

  /**
   * The call was refused as a whole, for what may be the fault of one record. Where the answer names properties, it is that of the
   * records that set them; else halves are tried, so that in the end only the guilty are refused.
   */
  async function sendInParts(
    records: readonly SentRecord[],
    answer: HttpAnswer,
    at: string,
    signal: AbortSignal | undefined,
  ): Promise<SendResult> {
    const { message, properties } = manner.refusal(answer);
    const isGuilty = ({ cells }: SentRecord): boolean =>
      records.length === 1 || properties.some((property) => Object.hasOwn(cells, property));
    const guilty = records.filter(isGuilty);
    const rest = records.filter((one) => !isGuilty(one));
    const requestId = readRequestId(answer);
    const outcomes = guilty.map(
      ({ record }): WriteOutcome => ({ record, status: 'refused', at, requestId, message: `${message}.` }),
    );
    const middle = guilty.length > 0 ? rest.length : Math.ceil(rest.length / 2);
    const first = await send(rest.slice(0, middle), signal);
    const both = [...outcomes, ...first.outcomes];
    if (first.stop !== undefined) return { outcomes: both, stop: first.stop };
    const second = await send(rest.slice(middle), signal);
    return { ...first, ...second, outcomes: [...both, ...second.outcomes] };
  }

  return {
    name,
    forecast: (records) => ({ [manner.name(stream)]: Math.ceil(records / manner.perCall) }),
    write: (writes, _delivery, onOutcome, signal) =>
      sendRecords(writes, manner.perCall, (records) => tell(records, signal), onOutcome, signal),
    async probe(signal) {
      const call = dialect.whole(stream)[0]?.call ?? { url: stream.baseUrl };
      const answer = await http.read(call, signal);
      if (answer.status >= 400) throw refuseStatus(answer);
      const many = manner.perCall === 1 ? 'a record a call' : `up to ${manner.perCall} records per call`;
      return {
        at: manner.name(stream),
        detail: `the login is accepted; ${many}; the right to write shows when it is used`,
      };
    },
    close: () => http.close(),
  };
}

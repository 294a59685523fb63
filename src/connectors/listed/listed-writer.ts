import type { Clock } from '../../base/clock.js';
import type { WriteOutcome } from '../../model/write-back.js';
import type { ConnectorContext } from '../connector.js';
import { stripQuery } from '../http/addresses.js';
import type { HttpAnswer } from '../http/http-call.js';
import type { HttpSource } from '../http/http-source.js';
import { refuseExhausted } from '../http/refusals.js';
import {
  compileTranslation,
  loseRecords,
  type RecordCalls,
  readRequestId,
  type SentRecord,
  sendRecords,
} from '../http/send-records.js';
import type { SourceWriter } from '../source-writer.js';
import type { ListedStreamConfig } from './listed-stream.js';
import type { ListedSystem } from './listed-system.js';
import { refuseStatus } from './listing-rules.js';
import { openSystem } from './open-system.js';
import { whyNotWritable } from './writable.js';
import { type CallRefusal, placeOf, type RecordVerdict } from './write-strategy.js';

/** Creates the writer for one stream over HTTP. `name` is, for example, `crm.companies`. */
export function createListedWriter(
  name: string,
  stream: ListedStreamConfig,
  system: ListedSystem,
  context: ConnectorContext,
): SourceWriter {
  const { read: dialect, write: strategy } = system;
  const { perCall } = strategy;
  const at = strategy.name(stream);
  const http = openSystem(stream, system, context, { purpose: 'write' });
  const calls: RecordCalls = {
    perCall,
    at,
    translate: compileTranslation(
      stream,
      context.timezone,
      (column) => whyNotWritable(system, stream, column),
      (column, value, config) => [strategy.property(placeOf(stream, column), column), strategy.encode(value, config)],
    ),
    send: (records, onOutcome, signal) =>
      send({ stream, system, http, clock: context.clock, onOutcome, signal }, records),
  };
  return {
    name,
    forecast: (records) => ({ [at]: Math.ceil(records / perCall) }),
    write: (writes, _delivery, onOutcome, signal) => sendRecords(calls, writes, onOutcome, signal),
    async probe(signal) {
      // The request leaves out the properties that show merges, because some systems lack them.
      const answer = await http.read(
        dialect.whole({ ...stream, merges: false }, context.clock.now())[0]?.call ?? { url: stream.baseUrl },
        signal,
      );
      if (answer.status >= 400) throw refuseStatus(answer, system);
      const many = perCall === 1 ? 'one record per call' : `up to ${perCall} records per call`;
      return { at, detail: `the login is accepted; ${many}; the permission to write shows at the first write` };
    },
    close: () => http.close(),
  };
}

interface ListedSending {
  readonly stream: ListedStreamConfig;
  readonly system: ListedSystem;
  readonly http: HttpSource;
  readonly clock: Clock;
  readonly onOutcome: (outcome: WriteOutcome) => void;
  readonly signal: AbortSignal | undefined;
}

/** The pause before another attempt at a locked record. A lock usually lasts only a moment. */
const LOCKED_WAIT_MS = 2_000;
const MOST_TRIES = 3;

async function send(
  sending: ListedSending,
  records: readonly SentRecord[],
  tries = 1,
): ReturnType<RecordCalls['send']> {
  if (records.length === 0) return undefined;
  const { stream, system, http, clock, onOutcome, signal } = sending;
  const { noun, read: dialect, write: strategy } = system;
  const call = strategy.build(stream, records);
  const at = `${call.method} ${stripQuery(call.url).slice(stripQuery(stream.baseUrl).length)}`;
  const written = await http.write(call, signal);
  if ('lost' in written) return loseRecords(records, at, written, onOutcome);
  const { answer } = written;
  const refusal = answer.status >= 400 ? strategy.refusal(answer) : null;
  if (refusal !== null && refusal.mayBeRepeated !== true) return sendInParts(sending, records, { answer, at, refusal });
  const requestId = readRequestId(answer);
  const verdicts = refusal === null ? strategy.judge(answer.body, records) : records.map(() => refuseForNow(refusal));
  const limit = dialect.nearLimit?.(answer) ?? null;
  const again: SentRecord[] = [];
  for (const [index, sent] of records.entries()) {
    const verdict = verdicts[index] ?? { status: 'lost' };
    if (verdict.mayBeRepeated === true && tries < MOST_TRIES && limit === null) again.push(sent);
    else onOutcome({ record: sent.record, at, requestId, ...verdict });
  }
  if (limit !== null) throw refuseExhausted({ system: noun, purpose: 'write' }, answer.at, limit);
  if (again.length === 0) return undefined;
  await clock.sleep(LOCKED_WAIT_MS, signal);
  return send(sending, again, tries + 1);
}

function refuseForNow({ message }: CallRefusal): RecordVerdict {
  return { status: 'refused', message: `${message}.`, mayBeRepeated: true };
}

interface RefusedCall {
  readonly answer: HttpAnswer;
  readonly at: string;
  readonly refusal: CallRefusal;
}

/**
 * Handles the rejection of an entire call, perhaps because of one record. If the response names properties, the records
 * that set these properties are rejected. Otherwise the call is repeated in halves until only the records at fault are
 * rejected.
 */
async function sendInParts(
  sending: ListedSending,
  records: readonly SentRecord[],
  { answer, at, refusal: { message, properties } }: RefusedCall,
): ReturnType<RecordCalls['send']> {
  const isGuilty = ({ cells }: SentRecord): boolean =>
    records.length === 1 || properties.some((property) => Object.hasOwn(cells, property));
  const requestId = readRequestId(answer);
  for (const { record } of records.filter(isGuilty)) {
    sending.onOutcome({ record, status: 'refused', at, requestId, message: `${message}.` });
  }
  const rest = records.filter((one) => !isGuilty(one));
  const middle = rest.length < records.length ? rest.length : Math.ceil(rest.length / 2);
  const first = await send(sending, rest.slice(0, middle));
  return (await send(sending, rest.slice(middle))) ?? first;
}

import type { HttpCall } from '../../http/http-call.js';
import type { Question } from '../../listing/question.js';
import { buildQuestion, type Dialect } from '../dialect.js';
import type { IncrementalConfig, ListedStreamConfig, NextPage } from '../listed-stream.js';
import { buildAddress, isInBody, setParameter } from '../next-page.js';
import { readDetails } from './detail.js';

/** Reads a system as its configuration specifies, without vendor rules. */
export const READ: Dialect = {
  whole: (stream, startedMs) => [ask(stream, {}, startedMs)],
  changes: (stream, { timeMs }) => {
    const { incremental } = stream;
    if (incremental === null) return [];
    return [ask(stream, { [incremental.parameter]: writeSince(timeMs, incremental) }, timeMs)];
  },
};

type Parameters = Readonly<Record<string, string | number>>;

function ask(stream: ListedStreamConfig, narrower: Parameters, nowMs: number): Question {
  const { next, query, headers, body = null, detail = null } = stream;
  const parameters = Object.entries({ ...narrower, ...listStart(next) });
  const inAddress = parameters.filter(([name]) => !isInBody(name)).map(([name, value]) => [name, String(value)]);
  const url = buildAddress(`${stream.baseUrl}${stream.path}`, { ...query, ...Object.fromEntries(inAddress) });
  const call: HttpCall = { url, headers, ...(body === null ? {} : { method: 'POST', body }) };
  const asked = parameters.reduce(
    (sent, [name, value]) => (isInBody(name) ? setParameter(sent, name, value) : sent),
    call,
  );
  return buildQuestion(stream, asked, {
    ...('size' in next && next.limit !== null ? { pageSize: next.size } : {}),
    ...(detail === null ? {} : { complete: readDetails(stream, detail, nowMs) }),
  });
}

/** The parameters of the first page. */
function listStart(next: NextPage): Parameters {
  if (next.kind !== 'offset' && next.kind !== 'page') return {};
  const limit = next.limit === null ? {} : { [next.limit]: next.size };
  return { ...limit, [next.parameter]: next.kind === 'page' ? next.first : 0 };
}

/** Writes the time of the last read. In a body, a time that consists of digits only is sent as a number. */
function writeSince(timeMs: number, { parameter, template, time }: IncrementalConfig): string | number {
  const written = writeTime(timeMs, time);
  if (isInBody(parameter) && template === '{since}') return written;
  return template.replaceAll('{since}', String(written));
}

function writeTime(timeMs: number, time: IncrementalConfig['time']): string | number {
  if (time === 'milliseconds') return timeMs;
  // The time is rounded down, because an earlier time only returns a few more rows, but a later time would miss a
  // change.
  return time === 'seconds' ? Math.floor(timeMs / 1_000) : new Date(timeMs).toISOString();
}

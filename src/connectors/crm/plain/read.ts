import type { HttpCall } from '../../http/http-call.js';
import type { Question } from '../../listing/question.js';
import { buildQuestion, type Dialect } from '../dialect.js';
import type { IncrementalConfig, ListedStreamConfig } from '../listed-stream.js';
import { buildAddress } from '../next-page.js';

/** A system that is asked as its configuration says, and in no other way. */
export const READ: Dialect = {
  whole: (stream) => [ask(stream, {})],
  changes: (stream, { timeMs }) => {
    const { incremental } = stream;
    if (incremental === null) return [];
    const { parameter, template } = incremental;
    return [ask(stream, { [parameter]: template.replaceAll('{since}', writeTime(timeMs, incremental)) })];
  },
};

function ask(stream: ListedStreamConfig, narrower: Readonly<Record<string, string>>): Question {
  const { next, query, headers } = stream;
  const limit = next.kind === 'offset' && next.limit !== null ? { [next.limit]: String(next.size) } : {};
  const start = next.kind === 'offset' ? { [next.parameter]: '0' } : {};
  const url = buildAddress(`${stream.baseUrl}${stream.path}`, { ...query, ...narrower, ...limit, ...start });
  const call: HttpCall = { url, headers };
  return buildQuestion(stream, call);
}

function writeTime(timeMs: number, { time }: IncrementalConfig): string {
  if (time === 'milliseconds') return String(timeMs);
  // Rounded down: too early asks for a little too much, too late would miss a change.
  return time === 'seconds' ? String(Math.floor(timeMs / 1_000)) : new Date(timeMs).toISOString();
}

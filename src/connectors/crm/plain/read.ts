import type { HttpCall } from '../../http/http-source.js';
import { buildQuestion, type Dialect, type Question } from '../../listing/dialect.js';
import { buildAddress, compileNext } from '../../listing/next-page.js';
import type { CrmFeedConfig, IncrementalConfig } from '../feed-config.js';

/** A feed that is what its configuration says, and nothing else. */
export const READ: Dialect = {
  whole: (feed) => [ask(feed, {})],
  changes: (feed, { timeMs }) => {
    const { incremental } = feed;
    if (incremental === null) return [];
    const { parameter, template } = incremental;
    return [ask(feed, { [parameter]: template.replaceAll('{since}', writeTime(timeMs, incremental)) })];
  },
  changesLink: null,
  exhausted: () => null,
  nearLimit: () => null,
};

function ask(feed: CrmFeedConfig, narrower: Readonly<Record<string, string>>): Question {
  const { next, query, headers } = feed;
  const limit = next.kind === 'offset' && next.limit !== null ? { [next.limit]: String(next.size) } : {};
  const start = next.kind === 'offset' ? { [next.parameter]: '0' } : {};
  const url = buildAddress(`${feed.baseUrl}${feed.path}`, { ...query, ...narrower, ...limit, ...start });
  const call: HttpCall = { url, headers };
  return buildQuestion(feed, call, { next: compileNext(next, false), endsAtTotal: next.kind === 'offset' });
}

function writeTime(timeMs: number, { time }: IncrementalConfig): string {
  if (time === 'milliseconds') return String(timeMs);
  // Rounded down: too early asks for a little too much, too late would miss a change.
  return time === 'seconds' ? String(Math.floor(timeMs / 1_000)) : new Date(timeMs).toISOString();
}

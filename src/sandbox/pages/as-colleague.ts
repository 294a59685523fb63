import type { World } from '../account/world.js';
import { OTHER_HANDS } from '../calls/access.js';
import type { Call, CallHandler } from '../calls/call.js';
import type { SentForm } from '../calls/multipart.js';
import { refuse } from '../fields/refusal.js';
import type { Body } from '../fields/values.js';
import type { PageAction, PageRequest } from './page.js';

/** What an endpoint of the service is called with. */
export interface ColleagueCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Body;
  /** A form with a file. */
  readonly form?: SentForm;
}

export function buildCall({ world, baseUrl }: Pick<PageRequest, 'world' | 'baseUrl'>, sent: ColleagueCall = {}): Call {
  return {
    world,
    key: OTHER_HANDS,
    userId: undefined,
    params: sent.params ?? {},
    query: sent.query ?? {},
    mode: 'iso',
    ...(sent.form ?? { contentType: 'application/json', boundary: undefined, bytes: undefined }),
    body: sent.body,
    baseUrl,
    isOtherHands: true,
  };
}

/**
 * Carries out an endpoint of the service as somebody does who works in it by hand: with its checks, its stamps and its
 * feed, in one transaction, and without a line in the log of calls. To the worker that is drift.
 */
export function writeAs(page: PageRequest, handle: CallHandler, sent: ColleagueCall): Body {
  return page.world.store.write(() => answerOf(handle(buildCall(page, sent))));
}

/** The answer of an endpoint that reads, with ISO codes. */
export function readAs(page: PageRequest, handle: CallHandler, sent: ColleagueCall = {}): Body {
  return answerOf(handle(buildCall(page, sent)));
}

function answerOf(answer: ReturnType<CallHandler>): Body {
  return (answer ?? {}) as Body;
}

interface CallOfPage {
  /** The values of the path, next to those of the form. By default those of the path of the page. */
  readonly params?: (page: PageRequest) => Readonly<Record<string, string>>;
  readonly body?: (page: PageRequest) => Body;
  /** Where to go afterwards. */
  readonly next?: string;
}

/** An action that is one call. */
export function calls(
  handle: CallHandler,
  { params = (page) => page.params, body, next }: CallOfPage = {},
): PageAction {
  return (page) => {
    writeAs(page, handle, { params: { ...Object.fromEntries(page.form), ...params(page) }, body: body?.(page) ?? {} });
    return next;
  };
}

/** A record that a page is about. */
export function requireRecord<T>(record: T | undefined): T {
  return record ?? refuse(404, 'there is no such record (any more)');
}

interface OfficeName {
  readonly id: string;
  readonly name: string;
  /** Its code. */
  readonly country: string;
}

export function listOfficeNames({ store }: World): readonly OfficeName[] {
  const countries = new Map(store.countries.all().map(({ id, code }) => [id, code]));
  return store.offices
    .find('ORDER BY country_id, name, id')
    .map(({ id, name, country_id }) => ({ id, name, country: countries.get(country_id) ?? '' }));
}

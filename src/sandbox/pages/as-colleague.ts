import type { World } from '../account/world.js';
import { OTHER_HANDS } from '../calls/access.js';
import type { Call, CallHandler } from '../calls/call.js';
import type { SentForm } from '../calls/multipart.js';
import { refuse } from '../fields/refusal.js';
import type { Body } from '../fields/values.js';
import type { PageAction, PageRequest } from './page.js';

export interface ColleagueCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Body;
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
 * Calls an endpoint as a colleague who works in the service by hand. The call has the usual checks, timestamps and feed entries
 * and is one transaction, but does not appear in the call log. The worker sees the change as drift.
 */
export function writeAs(page: PageRequest, handle: CallHandler, sent: ColleagueCall): Body {
  return page.world.store.write(() => answerOf(handle(buildCall(page, sent))));
}

/** Returns the response of a reading endpoint, with ISO codes. */
export function readAs(page: PageRequest, handle: CallHandler, sent: ColleagueCall = {}): Body {
  return answerOf(handle(buildCall(page, sent)));
}

function answerOf(answer: ReturnType<CallHandler>): Body {
  return (answer ?? {}) as Body;
}

interface CallOfPage {
  /** Path parameters in addition to the fields of the form; by default the path parameters of the page. */
  readonly params?: (page: PageRequest) => Readonly<Record<string, string>>;
  readonly body?: (page: PageRequest) => Body;
  readonly next?: string;
}

export function calls(
  handle: CallHandler,
  { params = (page) => page.params, body, next }: CallOfPage = {},
): PageAction {
  return (page) => {
    writeAs(page, handle, { params: { ...Object.fromEntries(page.form), ...params(page) }, body: body?.(page) ?? {} });
    return next;
  };
}

/** Returns the record of a page, or throws 404 if it does not exist. */
export function requireRecord<T>(record: T | undefined): T {
  return record ?? refuse(404, 'the record does not exist, or was removed');
}

interface OfficeName {
  readonly id: string;
  readonly name: string;
  /** Country code of the office. */
  readonly country: string;
}

export function listOfficeNames({ store }: World): readonly OfficeName[] {
  const countries = new Map(store.countries.all().map(({ id, code }) => [id, code]));
  return store.offices
    .find('ORDER BY country_id, name, id')
    .map(({ id, name, country_id }) => ({ id, name, country: countries.get(country_id) ?? '' }));
}

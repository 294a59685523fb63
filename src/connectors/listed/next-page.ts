import { isJsonObject, type Json, textOf } from '../../model/json.js';
import { followLink } from '../http/addresses.js';
import type { HttpCall } from '../http/http-call.js';
import type { ListingPage, PageStep } from '../listing/question.js';
import { compilePointer, splitPointer, stepInto } from '../rows/pointer.js';
import type { NextPage } from './listed-stream.js';

/**
 * Returns a function that finds the next step of a listing; `judge-end.ts` judges the end of the listing. If the first
 * page does not mention a next page, it may be the only page, or the pointer may be mistyped.
 *
 * @param isKnown true if the vendor's rules are known, so that a page without a statement is the last page
 */
export function compileNext(next: NextPage, isKnown: boolean): (page: ListingPage) => PageStep {
  switch (next.kind) {
    case 'none':
      return () => ({ end: 'only' });
    case 'link':
      return compileMarked(next.at, isKnown, (page, link) => followCall(page, link));
    case 'token':
      return compileMarked(next.at, isKnown, (page, token) => setParameter(page.call, next.parameter, token));
    case 'header':
      return (page) => {
        const link = readLinkHeader(page.answer.headers.get(next.name));
        if (link !== null) return { call: followCall(page, link), way: 'announced' };
        return endsIn(page, isKnown || page.answer.headers.has(next.name));
      };
    case 'offset':
      return ({ call, position }) => ({
        call: setParameter(call, next.parameter, position),
        way: 'own',
      });
    case 'page':
      return ({ call }) => ({
        call: setParameter(call, next.parameter, readNumber(call, next.parameter) + 1),
        way: 'own',
      });
  }
}

function compileMarked(
  at: string,
  isKnown: boolean,
  follow: (page: ListingPage, mark: string) => HttpCall,
): (page: ListingPage) => PageStep {
  const find = compilePointer(at);
  return (page) => {
    const mark = find(page.answer.body);
    const text = typeof mark === 'number' ? String(mark) : textOf(mark).trim();
    if (text !== '') return { call: follow(page, text), way: 'announced' };
    return endsIn(page, isKnown || mark !== undefined);
  };
}

function endsIn({ isFirst }: ListingPage, isSaid: boolean): PageStep {
  return { end: isSaid || !isFirst ? 'said' : 'silent' };
}

function followCall(page: ListingPage, link: string): HttpCall {
  return { ...page.call, url: followLink(page.call.url, link) };
}

/** Describes the place where a listing names its next page, for messages. */
export function nameNext(next: NextPage): string {
  switch (next.kind) {
    case 'link':
      return `next.link (${next.at})`;
    case 'token':
      return `next.token (${next.at})`;
    case 'header':
      return `the header ${next.name}`;
    default:
      return '`next`';
  }
}

/** Reads the link of relation `next` from a header (RFC 8288): `<https://…?page=2>; rel="next", <…>; rel="last"`. */
function readLinkHeader(value: string | null): string | null {
  for (const [, target = '', parameters = ''] of (value ?? '').matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel="?(?:[^";]*\s)?next(?:[\s";,]|$)/i.test(parameters)) return target;
  }
  return null;
}

/** Builds an address. A space is encoded as `%20`, because some servers read `+` as a plus sign. */
export function buildAddress(address: string, query: Readonly<Record<string, string>>): string {
  const parameters = new URLSearchParams(query).toString().replaceAll('+', '%20');
  return parameters === '' ? address : `${address}?${parameters}`;
}

/** True for a parameter that begins with a slash, which is a JSON pointer into the body. */
export function isInBody(parameter: string): boolean {
  return parameter.startsWith('/');
}

export function setParameter(call: HttpCall, name: string, value: string | number): HttpCall {
  if (isInBody(name)) return { ...call, body: setPlace(call.body, splitPointer(name), value) };
  const url = new URL(call.url);
  const query = new URLSearchParams(url.search);
  query.set(name, String(value));
  url.search = query.toString().replaceAll('+', '%20');
  return { ...call, url: url.href };
}

function readNumber({ url, body = null }: HttpCall, name: string): number {
  return Number(isInBody(name) ? compilePointer(name)(body) : new URL(url).searchParams.get(name));
}

/** Copies JSON with a new value at one place. Missing objects on the path are created. */
function setPlace(root: Json | undefined, [step, ...rest]: readonly string[], value: Json): Json {
  if (step === undefined) return value;
  const inner = setPlace(stepInto(root, step), rest, value);
  if (Array.isArray(root)) return root.map((item: Json, at) => (at === Number(step) ? inner : item));
  return { ...(isJsonObject(root) ? root : {}), [step]: inner };
}

/** Reads the total number of rows from a response; null if there is none. */
export function compileTotal(at: string | null): (body: Json) => number | null {
  if (at === null) return () => null;
  const find = compilePointer(at);
  return (body) => {
    const total = find(body);
    const count = typeof total === 'string' && /^\d+$/.test(total) ? Number(total) : total;
    return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : null;
  };
}

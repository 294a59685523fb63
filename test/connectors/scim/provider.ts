import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerJson, type Respond } from '../fixtures.js';

export interface ProviderUser {
  readonly id: string;
  readonly userName: string;
  readonly modified?: string;
  readonly [name: string]: unknown;
}

/** An identity provider on loopback that can change during a read, and misbehave like real ones. */
export interface Provider {
  users: readonly ProviderUser[];
  groups: readonly object[];
  /** Answers `meta.lastModified ge` correctly, with nobody (as some do), with everyone, or with 400. */
  lastModified: 'works' | 'nobody' | 'everybody' | 'refused';
  capabilities: object | null;
  /** Called before each request is answered; returns true if it has answered. */
  before: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The number of cursors that are accepted before all others are expired. */
  expireAfter: number;
  readonly respond: Respond;
}

export function createProvider(users: readonly ProviderUser[] = []): Provider {
  const provider: Provider = {
    users,
    groups: [],
    lastModified: 'works',
    capabilities: null,
    before: () => false,
    expireAfter: Number.POSITIVE_INFINITY,
    respond(request, response) {
      if (!provider.before(request, response))
        answer(provider, new URL(request.url ?? '', 'http://localhost'), response);
    },
  };
  return provider;
}

function answer(provider: Provider, url: URL, response: ServerResponse): void {
  const { status, body } = judge(provider, url.pathname.replace('/scim/v2', ''), url.searchParams);
  answerJson(response, body, status);
}

function judge(provider: Provider, path: string, query: URLSearchParams): { status: number; body: object } {
  if (path === '/ServiceProviderConfig') {
    return { status: provider.capabilities === null ? 404 : 200, body: provider.capabilities ?? {} };
  }
  const [, id] = /^\/Users\/(.+)$/.exec(path) ?? [];
  if (id !== undefined) {
    const user = provider.users.find((one) => one.id === decodeURIComponent(id));
    return user === undefined ? { status: 404, body: {} } : { status: 200, body: show(user) };
  }
  if (provider.lastModified === 'refused' && query.get('filter')?.includes('meta.lastModified') === true) {
    return { status: 400, body: { status: '400', scimType: 'invalidFilter' } };
  }
  const rows = path === '/Groups' ? provider.groups : filterUsers(provider, query.get('filter')).map(show);
  const count = Number(query.get('count'));
  const cursor = query.get('cursor');
  if (cursor !== null && cursor !== '' && provider.expireAfter-- <= 0) {
    return { status: 400, body: { status: '400', scimType: 'expiredCursor' } };
  }
  const start = cursor === null ? Number(query.get('startIndex')) - 1 : Number(cursor.replace('opaque/', ''));
  const next = cursor !== null && start + count < rows.length ? { nextCursor: `opaque/${start + count}` } : {};
  return { status: 200, body: { totalResults: rows.length, Resources: rows.slice(start, start + count), ...next } };
}

function show({ modified, ...user }: ProviderUser): object {
  return modified === undefined ? user : { ...user, meta: { lastModified: modified } };
}

function filterUsers({ users, lastModified }: Provider, filter: string | null): readonly ProviderUser[] {
  const since = /meta\.lastModified ge "([^"]+)"/.exec(filter ?? '')?.[1];
  if (since === undefined || lastModified === 'everybody') return users;
  return lastModified === 'nobody' ? [] : users.filter(({ modified = '' }) => modified >= since);
}

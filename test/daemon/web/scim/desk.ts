import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Secret } from '../../../../src/base/secrets/secret.js';
import { openHealthServer } from '../../../../src/daemon/web/health-server.js';
import type { PushEvent, ReceiverOptions } from '../../../../src/daemon/web/scim/receiver.js';
import { openDatabase } from '../../../../src/store/database.js';
import { openPushStore } from '../../../../src/store/state/open-push-store.js';
import type { PushStore } from '../../../../src/store/state/push-store.js';

/** A body with the fields that the tests read. */
export interface ScimBody {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly meta: { readonly location: string; readonly created: string; readonly version: string };
  readonly emails: readonly { readonly value: string; readonly type?: string; readonly primary?: boolean }[];
  readonly members?: readonly { readonly value: string; readonly display?: string; readonly type?: string }[];
  readonly totalResults: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly ScimBody[];
  readonly status: string;
  readonly scimType?: string;
  readonly detail: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: ScimBody;
  readonly text: string;
}

export interface Desk {
  readonly url: string;
  readonly folder: string;
  readonly store: PushStore;
  readonly events: readonly PushEvent[];
  /** Stores data without a push. */
  write(work: (store: PushStore) => void): Promise<void>;
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Posts a user of that name and returns the answer. */
  addUser(userName: string, more?: object): Promise<ScimBody>;
  addGroup(displayName: string, members?: readonly string[]): Promise<ScimBody>;
  patch(path: string, ...operations: readonly object[]): Promise<Answer>;
}

export const TOKENS = ['first-token', 'second-token'];
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

export interface DeskOptions {
  /** Name of the source. */
  readonly name: string;
  readonly key: string;
  readonly open: boolean;
  readonly trustedProxies: readonly string[];
}

/** The settings of all receivers of a desk. */
export type DeskCommon = Pick<ReceiverOptions, 'clock' | 'onRequest'>;

/** The parts behind a desk. */
export interface DeskParts {
  readonly folder: string;
  readonly store: PushStore;
  /** The receiver of the next request. Addresses in answers name the first receiver. */
  url(): string;
  write(work: (store: PushStore) => void): Promise<void>;
  /** Updates the store to the newest commit. */
  refresh(): Promise<void>;
}

type OpenParts = (options: DeskOptions, common: DeskCommon) => Promise<DeskParts>;

let openParts: OpenParts = openInFolder;

/** Sets how desks of this test file are opened; `null` restores the default. */
export function openDesksBy(opening: OpenParts | null): void {
  openParts = opening ?? openInFolder;
}

/** A receiver over HTTP, closed after the test. @returns its address */
export async function openReceiver(receiver: ReceiverOptions): Promise<string> {
  const server = await openHealthServer({
    host: '127.0.0.1',
    port: 0,
    token: null,
    health: { whyDead: () => null, whyNotReady: () => [] },
    metrics: { contentType: 'text/plain', render: async () => '' },
    receiver,
  });
  onTestFinished(() => server.close());
  return server.url;
}

async function openInFolder({ name, key, open, trustedProxies }: DeskOptions, common: DeskCommon): Promise<DeskParts> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-push-'));
  openDatabase(join(folder, 'state.db'), 'state', { lockedAt: '2026-01-01T00:00:00.000Z' }).sqlite.close();
  const { store, close } = openPushStore(folder);
  onTestFinished(() => {
    close();
    rmSync(folder, { recursive: true, force: true });
  });
  const source = {
    tenant: 'acme',
    name,
    tokens: TOKENS.map((token) => new Secret(token)),
    key,
    baseUrl: null,
    trustedProxies,
    use: <T>(_how: string, work: (pushed: typeof store | null) => Promise<T>) => work(open ? store : null),
  };
  const url = await openReceiver({
    find: ([first]) => (first === name ? { source, used: 1 } : null),
    proxies: () => [trustedProxies],
    ...common,
  });
  return { folder, store, write: async (work) => work(store), url: () => url, refresh: async () => undefined };
}

/** Receivers over HTTP with one state. Each request is a second later than the one before. */
export async function openDesk({
  name = 'idp',
  key = 'id',
  open = true,
  trustedProxies = [],
}: Partial<DeskOptions> = {}): Promise<Desk> {
  const events: PushEvent[] = [];
  let nowMs = Date.UTC(2026, 0, 1, 12);
  const clock = {
    now: () => {
      nowMs += 1_000;
      return nowMs;
    },
    sleep: async () => undefined,
  };
  const onRequest = (event: PushEvent): void => void events.push(event);
  const parts = await openParts({ name, key, open, trustedProxies }, { clock, onRequest });
  const { folder, store } = parts;
  const root = `/scim/v2/${name}`;
  const url = parts.url() + root;

  const call: Desk['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(parts.url() + root + path, {
      method,
      headers: {
        authorization: `Bearer ${TOKENS[0]}`,
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    await parts.refresh();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: (text === '' ? {} : JSON.parse(text)) as ScimBody,
    };
  };
  return {
    url,
    folder,
    store,
    events,
    write: parts.write,
    call,
    addUser: async (userName, more = {}) => (await call('POST', '/Users', { schemas: [USER], userName, ...more })).json,
    addGroup: async (displayName, members = []) =>
      (
        await call('POST', '/Groups', {
          schemas: [GROUP],
          displayName,
          members: members.map((value) => ({ value })),
        })
      ).json,
    patch: (path, ...operations) =>
      call('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations }),
  };
}

/** True for a body that is sent unchanged, such as invalid JSON or invalid text. */
function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array;
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { WebSettings } from '../../../../src/config/web-settings.js';
import type { Daemon } from '../../../../src/daemon/daemon.js';
import type { AskedWork } from '../../../../src/daemon/tenants/asked-work.js';
import type { Registered } from '../../../../src/daemon/tenants/registry.js';
import { createOpenIdLogin } from '../../../../src/daemon/web/operator/openid-login.js';
import { openOperatorPages } from '../../../../src/daemon/web/operator/server.js';
import { type OperatorStore, openOperatorStore } from '../../../../src/store/operators/operator-store.js';
import { closeAfterTest } from '../../../closing.js';
import { createHandClock, type HandClock } from '../../fleet.js';
import { tenant } from './facts.js';
import { noDaemon } from './no-daemon.js';

export const START = '2026-11-23T08:00:00.000Z';

export interface OpenedPages {
  readonly url: string;
  readonly store: OperatorStore;
  readonly clock: HandClock;
  /** The lines of the log. */
  readonly log: readonly string[];
  /** The requested plans and runs. */
  readonly asked: readonly (readonly [tenant: string, kind: string, by: string])[];
  /** Replaces parts of the active settings. */
  configure(patch: Partial<WebSettings>): void;
  /** Replaces the process by a new one. `forgetful` gives it another operators.db, and so another key. */
  restart(how?: 'forgetful'): Promise<void>;
  /** A person's token that is valid for an hour. */
  giveToken(who: string): string;
  /** The next run caused by signals. */
  setNext(next: ReturnType<Daemon['signals']['next']>): void;
}

export const SETTINGS: WebSettings = {
  host: '127.0.0.1',
  port: 0,
  publicUrl: null,
  state: '',
  openid: null,
  proxy: null,
  tokens: true,
  trustedProxies: [],
  grants: [],
  idleMs: 3_600_000,
  longestMs: 12 * 3_600_000,
};

/** The pages on a port of their own, closed after the test. */
export async function openPages(
  more: {
    settings?: Partial<WebSettings>;
    tenants?: readonly Registered[];
    isLocal?: boolean;
    daemon?: Daemon;
    /** The results of requests, if no daemon is there. */
    work?: AskedWork;
    /** The time in ISO 8601, for pages over a state that uses another clock. */
    start?: string;
  } = {},
): Promise<OpenedPages> {
  const state = mkdtempSync(join(tmpdir(), 'pages-'));
  let settings: WebSettings = { ...SETTINGS, ...more.settings, state };
  const { start = START } = more;
  const clock = createHandClock(start);
  let store = openOperatorStore(state, start);
  const openid =
    settings.openid === null
      ? null
      : createOpenIdLogin(settings.openid, `${settings.publicUrl ?? ''}/login/openid/done`);
  const log: string[] = [];
  const asked: (readonly [string, string, string])[] = [];
  let next: ReturnType<Daemon['signals']['next']> = null;
  const list = () => more.daemon?.list() ?? more.tenants ?? [tenant('acme'), tenant('globex')];
  const open = (port: number) =>
    openOperatorPages({
      settings: () => ({ ...settings, port }),
      operators: { store, refresh: async () => undefined, change: async (work) => work(store), close: () => undefined },
      clock,
      logger: pino({ level: 'info' }, { write: (line: string) => void log.push(line) }),
      openid,
      isLocal: more.isLocal === true,
      daemon: {
        ...noDaemon(list()),
        signals: { next: () => next },
        list,
        listFresh: async () => list(),
        async ask(name, kind, by, order = null) {
          asked.push([name, kind, by]);
          return (await more.daemon?.ask(name, kind, by, order)) ?? null;
        },
        findAsked: async (name, id) => (await more.daemon?.findAsked(name, id)) ?? more.work ?? null,
      },
    });
  let port = await open(settings.port);
  const { url } = port;
  async function close(): Promise<void> {
    await port.close();
    store.close();
  }
  closeAfterTest({ close: () => close() });
  return {
    url,
    log,
    asked,
    get store() {
      return store;
    },
    async restart(how) {
      await close();
      if (how === 'forgetful') rmSync(join(state, 'operators.db'));
      store = openOperatorStore(state, start);
      port = await open(Number(new URL(url).port));
    },
    clock,
    setNext(given) {
      next = given;
    },
    configure(patch) {
      settings = { ...settings, ...patch };
    },
    giveToken(who) {
      const at = new Date(clock.now()).toISOString();
      const expiresAt = new Date(clock.now() + 3_600_000).toISOString();
      return store.addToken({ id: `t-${who}-${clock.now()}`, who, at, expiresAt });
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
  readonly headers: Headers;
}

/** The state a browser keeps and sends: cookies, and the origin of a form. It follows no redirects. */
export class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  cookies(): readonly string[] {
    return [...this.#cookies.keys()];
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send(path, { headers });
  }

  /** Sends a form as a page does: `_csrf` comes from the named page unless it is given. */
  async post(path: string, fields: Record<string, string>, from = '/login'): Promise<Answer> {
    const { text } = await this.get(from);
    const csrf = /name="_csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
    return this.postAs(path, { _csrf: csrf, ...fields }, { 'sec-fetch-site': 'same-origin', origin: this.#origin });
  }

  postAs(path: string, fields: Record<string, string>, headers: Record<string, string>): Promise<Answer> {
    const body = new URLSearchParams(fields).toString();
    return this.#send(path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  }

  async #send(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Answer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, this.#origin), {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const { status, headers } = response;
    return { status, headers, location: headers.get('location'), text: await response.text() };
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}

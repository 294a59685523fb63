import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.js';
import type { SyncError } from '../../../base/errors.js';
import type { Logger } from '../../../base/logger.js';
import type { Identity } from '../../../config/access/identity.js';
import type { Access, Role } from '../../../config/access/roles.js';
import type { WebSettings } from '../../../config/web-settings.js';
import type { Html } from '../../../report/writers/page/html-text.js';
import type { Operators } from '../../../store/operators/operators.js';
import type { Daemon } from '../../daemon.js';
import type { Registered } from '../../tenants/registry.js';
import type { OpenIdLogin } from './openid-login.js';

export interface WebParts {
  /** Returns the current settings. An edited file takes effect with the next request. */
  readonly settings: () => WebSettings;
  readonly operators: Operators;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly openid: OpenIdLogin | null;
  /** True if nobody logs in. Anyone who reaches the pages then works on this machine. */
  readonly isLocal: boolean;
  readonly daemon: WebDaemon;
}

export type WebDaemon = Pick<
  Daemon,
  'list' | 'listFresh' | 'ask' | 'findAsked' | 'bringUp' | 'listUntaken' | 'perform'
> & { readonly signals: Pick<Daemon['signals'], 'next'> };

/** Who may use a route: anyone, everyone logged in, or people with a role for the tenant of the address. */
export type Audience = 'anybody' | 'logged in' | Role;

export interface WebRequest {
  readonly parts: WebParts;
  readonly settings: WebSettings;
  /** Null before the log-in. */
  readonly person: Identity | null;
  /** Id of the personal token of the request; null for other log-ins. */
  readonly token: string | null;
  /** Tenant and token → the day of the audit entry about an assistant that reads with this token. */
  readonly notedAssistants: Map<string, string>;
  /** The person's permissions for a tenant; null if none. */
  readonly accessTo: (tenant: string) => Access | null;
  /** True if the log-in or token of the request is still valid. An answer may take a while. */
  readonly isStillIn: () => boolean;
  /** The tenant in the address, if the person has a role there. */
  readonly tenant: Registered | null;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** The CSRF token for a form. */
  readonly csrf: () => string;
  readonly raw: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface OperatorPage {
  readonly title: string;
  /** The navigation entry to which the page belongs. */
  readonly under: string;
  readonly lead?: Html;
  readonly body: Html;
  /** Seconds after which a browser without scripts reloads the page. */
  readonly refresh?: number;
  readonly status?: number;
}

/** A file that is generated while it is sent. */
export interface Download {
  readonly file: string;
  readonly type: string;
  readonly parts: AsyncIterable<string>;
}

/** Redirects the browser to a page that can be reloaded. */
export interface Onward {
  readonly to: string;
  /** The message about a recorded decision. The next page shows it once. */
  readonly said?: string;
}

/** Server-sent events, each complete with its blank line. */
export interface EventStream {
  readonly events: AsyncIterable<string>;
}

export type WebAnswer = OperatorPage | Onward | JsonAnswer | Download | EventStream;

export interface JsonAnswer {
  /** Undefined if the response has a status but no body. */
  readonly json: unknown;
  /** Applied to each text, so that people appear as this reader may see them. */
  readonly veil?: (text: string) => string;
  /**
   * Default 200. 202 means that the decision was checked and stored, and takes effect when the holder of the tenant reads
   * it.
   */
  readonly status?: number;
}

export interface WebRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly audience: Audience;
  readonly answer: (request: WebRequest) => WebAnswer | Promise<WebAnswer>;
}

/** Ends a request with an error on a page, or as JSON if the client asked for JSON. */
export class WebRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly error: SyncError | null = null,
  ) {
    super(message);
    this.name = 'WebRefusal';
  }
}

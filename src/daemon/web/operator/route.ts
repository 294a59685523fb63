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

/** What the pages are made of and act upon. */
export interface WebParts {
  /** As they are now: an edited file counts from the next request on. */
  readonly settings: () => WebSettings;
  readonly operators: Operators;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly openid: OpenIdLogin | null;
  /** Nobody logs in: whoever reaches the pages sits at this machine. */
  readonly isLocal: boolean;
  readonly daemon: WebDaemon;
}

/** The part of the daemon that the pages use. */
export type WebDaemon = Pick<
  Daemon,
  'list' | 'listFresh' | 'ask' | 'findAsked' | 'bringUp' | 'listUntaken' | 'perform'
> & { readonly signals: Pick<Daemon['signals'], 'next'> };

/** Who may have an answer: people before the log-in, all who are logged in, or those with a role for the tenant of the address. */
export type Audience = 'anybody' | 'logged in' | Role;

export interface WebRequest {
  readonly parts: WebParts;
  readonly settings: WebSettings;
  /** null before the log-in. */
  readonly person: Identity | null;
  /** Id of the personal token that it came with; null for a log-in. */
  readonly token: string | null;
  /** Tenant and token → the day of which the audit has that an assistant reads with it. */
  readonly notedAssistants: Map<string, string>;
  /** What the person may do for a tenant; null for nothing at all. */
  readonly accessTo: (tenant: string) => Access | null;
  /** Whether the log-in or token that it came with still holds: an answer may take a while. */
  readonly isStillIn: () => boolean;
  /** Of an address with a tenant in it; the person has a role there. */
  readonly tenant: Registered | null;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** What was posted. */
  readonly form: URLSearchParams;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** For a field of every form. */
  readonly csrf: () => string;
  readonly raw: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface OperatorPage {
  readonly title: string;
  /** The entry of the navigation that it belongs to. */
  readonly under: string;
  readonly lead?: Html;
  readonly body: Html;
  /** Seconds after which a browser without scripts loads it again. */
  readonly refresh?: number;
  readonly status?: number;
}

/** A file, made while it is sent. */
export interface Download {
  readonly file: string;
  readonly type: string;
  readonly parts: AsyncIterable<string>;
}

/** The browser goes on to a page that can be loaded again. */
export interface Onward {
  readonly to: string;
}

/** Server-sent events, each whole with its blank line. */
export interface EventStream {
  readonly events: AsyncIterable<string>;
}

export type WebAnswer = OperatorPage | Onward | JsonAnswer | Download | EventStream;

/** A document for programs. */
export interface JsonAnswer {
  /** undefined: nothing is sent but the status. */
  readonly json: unknown;
  /** Over each text in it: people as this reader may see them. */
  readonly veil?: (text: string) => string;
  /** 200 without it; 202: it was checked and written down, and counts as soon as the holder of the tenant takes it in. */
  readonly status?: number;
}

export interface WebRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly audience: Audience;
  readonly answer: (request: WebRequest) => WebAnswer | Promise<WebAnswer>;
}

/** A request that gets no answer of its own: said on a page, or in JSON where that was asked for. */
export class WebRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** What an operation could not do. */
    readonly error: SyncError | null = null,
  ) {
    super(message);
    this.name = 'WebRefusal';
  }
}

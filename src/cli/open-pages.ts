import { type Clock, isoNow } from '../base/clock.js';
import { asSyncError, SyncError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { loadWeb } from '../config/load-web.js';
import type { WebSettings } from '../config/web-settings.js';
import type { Port } from '../daemon/web/open-port.js';
import { createOpenIdLogin } from '../daemon/web/operator/openid-login.js';
import type { WebDaemon } from '../daemon/web/operator/route.js';
import { openOperatorPages } from '../daemon/web/operator/server.js';
import { openOperators, type ShareFile } from '../store/operators/operators.js';

export interface PagesOptions {
  readonly daemon: WebDaemon;
  /** A configuration, or a folder of them. */
  readonly target: string;
  readonly env: NodeJS.ProcessEnv;
  /** True if nobody logs in, because only users of this machine can reach the pages. */
  readonly isLocal: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The port on which this daemon listens already. */
  readonly besides?: number;
  /** Opens a file that all daemons share. Without it, each machine has its own file. */
  readonly share?: ShareFile | null;
  /** Ends the wait for PostgreSQL. */
  readonly signal?: AbortSignal;
}

export interface OpenPages {
  readonly url: string;
  /** Target of links in messages; null if none is configured. */
  readonly link: string | null;
  /** Reads roles and timeouts again. If the file is invalid, the previous settings stay active. */
  reload(): void;
  close(): Promise<void>;
}

/**
 * Opens the operator pages of a daemon; null if none are configured.
 *
 * @throws SyncError SYNC_CONFIG_*, SYNC_WEB_LISTEN
 */
export async function openPages(options: PagesOptions): Promise<OpenPages | null> {
  const { target, env, isLocal, clock, logger, daemon, besides, share = null } = options;
  const first = loadWeb(target, env, isLocal);
  if (first === null) return null;
  let settings: WebSettings = first;
  let told = '';
  const operators = openOperators(first.state, () => isoNow(clock), share);
  const openid =
    first.openid === null ? null : createOpenIdLogin(first.openid, `${first.publicUrl ?? ''}/login/openid/done`);
  const parts = { settings: () => settings, operators, clock, logger, openid, isLocal, daemon };
  const open = (): Promise<Port> => openOperatorPages(parts);
  const port = await whenReachable(open, options).catch((error: unknown) => {
    operators.close();
    throw asSyncError(error).code === 'SYNC_WEB_LISTEN' && first.port === besides ? takeOwnPort(first, error) : error;
  });
  return {
    url: port.url,
    link: first.publicUrl,
    reload() {
      try {
        const next = loadWeb(target, env, isLocal);
        // The address and the log-in methods stay as they were at the start.
        if (next !== null)
          settings = { ...settings, grants: next.grants, idleMs: next.idleMs, longestMs: next.longestMs };
        told = '';
      } catch (thrown) {
        const { code, message, place, remedy } = asSyncError(thrown);
        if (told !== message)
          logger.error({ code, message, place, remedy }, 'web settings rejected: the previous ones stay active');
        told = message;
      }
    },
    async close() {
      await port.close();
      operators.close();
    },
  };
}

function takeOwnPort({ host, port }: WebSettings, cause: unknown): SyncError {
  return new SyncError('SYNC_WEB_LISTEN', {
    message: `The operator pages cannot listen on ${host}:${port}, because this daemon uses port ${port} for its health checks, metrics and pushes.`,
    place: 'web.listen',
    remedy: 'Name another port with --port, or in `web.listen`.',
    cause,
  });
}

/** Pause between two attempts to reach PostgreSQL. */
const REACH_MS = 2_000;

/** Retries while PostgreSQL is down, or while a newer version has migrated the operators. */
async function whenReachable<T>(
  work: () => Promise<T>,
  { clock, logger, signal }: Pick<PagesOptions, 'clock' | 'logger' | 'signal'>,
): Promise<T> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await work();
    } catch (thrown) {
      const { code, message, remedy } = asSyncError(thrown);
      if ((code !== 'SYNC_BACKEND_AWAY' && code !== 'SYNC_STATE_NEWER') || signal?.aborted === true) throw thrown;
      if (!isTold) logger.error({ code, message, remedy }, 'the operator pages wait for PostgreSQL');
    }
    await clock.sleep(REACH_MS, signal);
  }
}

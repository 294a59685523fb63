import { listCauses } from '../base/http/broken-connection.js';
import type { Resolve } from '../base/http/guarded-lookup.js';
import { isSuccess } from '../base/http/http-response.js';
import { readBeginning } from '../base/http/read-answer.js';
import { noteSecret } from '../base/secrets/secret.js';
import type { Exchange } from './exchange.js';
import { createLinkGuard, RefusedAddress } from './link-guard.js';
import { asError, type Origin } from './network-error.js';
import type { OpenSockets } from './open-sockets.js';
import { buildRefusal, type ResponseHead, readHead } from './read-response.js';
import { ServiceError } from './service-error.js';
import { openFile, type ServiceFile } from './service-file.js';

export interface TransportFile extends ResponseHead {
  readonly file: ServiceFile;
}

/** Stops redirect loops. */
const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface SignedLinks {
  open(link: URL, signal?: AbortSignal): Promise<TransportFile>;
  close(): Promise<void>;
}

export interface LinkTools {
  readonly exchange: Exchange;
  readonly openSockets: OpenSockets;
  readonly baseUrl: string;
  readonly connections: number;
  readonly resolve: Resolve | undefined;
}

/** Opens links to any host on the internet, without the API key, on sockets of their own. */
export function createSignedLinks({ exchange, openSockets, baseUrl, connections, resolve }: LinkTools): SignedLinks {
  const guard = createLinkGuard(baseUrl, resolve);
  const sockets = openSockets({ connections, lookup: guard.lookup, to: 'link' });

  async function openOnce(url: URL, signal: AbortSignal | undefined): Promise<TransportFile | { readonly to: URL }> {
    const origin: Origin = { method: 'GET', baseUrl: url.origin, path: url.pathname };
    // The query of a signed link is a secret.
    noteSecret(url.search.slice(1));
    const fault = await guard.findFault(url);
    if (fault !== null) throw signedLinkError(origin, fault);
    const explain = (error: Error): ServiceError | null => {
      const refused = listCauses(error).find((cause) => cause instanceof RefusedAddress);
      return refused === undefined
        ? null
        : signedLinkError(origin, `leads to ${refused.host}, whose address is not public`);
    };
    // Redirects are followed manually, so that the same rules check each one.
    const request = { method: 'GET', url: url.href, headers: {} } as const;
    return exchange({ origin, request, signal, sockets, explain }, async (response, deadline, fail) => {
      if (isSuccess(response.status)) return { ...readHead(response), file: openFile(response, deadline, fail) };
      const location = response.headers.get('location');
      if (location === null || !REDIRECTS.has(response.status) || !URL.canParse(location, url.href))
        throw buildRefusal(origin, response, await readBeginning(response).catch(asError));
      await response.body?.cancel();
      deadline.release();
      return { to: new URL(location, url) };
    });
  }

  return {
    async open(link, signal) {
      let url = link;
      for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
        const opened = await openOnce(url, signal);
        if ('file' in opened) return opened;
        url = opened.to;
      }
      const origin: Origin = { method: 'GET', baseUrl: link.origin, path: link.pathname };
      throw signedLinkError(origin, `is redirected more than ${MOST_REDIRECTS} times`);
    },
    close: () => sockets.close(),
  };
}

function signedLinkError(origin: Origin, fault: string): ServiceError {
  return new ServiceError({
    ...origin,
    code: 'SYNC_SERVICE_LINK',
    message: `The signed link ${fault}. It is not followed.`,
    fault: 'answer',
    outcome: 'refused',
  });
}

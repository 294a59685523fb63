import { openHttpSockets } from '../../src/base/http/http-sockets.js';
import type { OpenSockets } from '../../src/service/open-sockets.js';

export interface Sender {
  readonly by: string;
  readonly options: { readonly openSockets?: OpenSockets };
}

/** The ways to send calls. Errors and verdicts are the same for each. */
export const SENDERS: readonly Sender[] = [
  { by: 'fetch', options: {} },
  { by: 'node:http', options: { openSockets: openHttpSockets } },
];

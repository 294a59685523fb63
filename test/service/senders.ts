import { openHttpSockets } from '../../src/base/http/http-sockets.js';
import type { OpenSockets } from '../../src/service/open-sockets.js';

export interface Sender {
  readonly by: string;
  readonly options: { readonly openSockets?: OpenSockets };
}

/** What calls are sent by: the errors and the verdicts are the same. */
export const SENDERS: readonly Sender[] = [
  { by: 'fetch', options: {} },
  { by: 'node:http', options: { openSockets: openHttpSockets } },
];

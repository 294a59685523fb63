import { openHttpSockets } from '../../src/service/http-sockets.js';
import type { OpenSockets } from '../../src/service/sockets.js';

export interface Sender {
  readonly by: string;
  readonly options: { readonly openSockets?: OpenSockets };
}

/** What calls are sent by: the errors and the verdicts are the same. */
export const SENDERS: readonly Sender[] = [
  { by: 'fetch', options: {} },
  { by: 'node:http', options: { openSockets: openHttpSockets } },
];

import { Secret } from './secret.js';

/** The header value for basic authentication with a server or a proxy. */
export function encodeBasic(username: string, password: Secret): string {
  return `Basic ${new Secret(Buffer.from(`${username}:${password.reveal()}`).toString('base64')).reveal()}`;
}

const LONGEST_PING = 64;
const PING = /^\s*(?:"?Ping test"?|\{\s*"text"\s*:\s*"Ping test"\s*\})\s*$/;

/** The token that Microsoft Graph expects in the response when a subscription is created; null for any other request. */
export function findValidationToken(url: string): string | null {
  const [, query = ''] = url.split('?', 2);
  const token = new URLSearchParams(query).get('validationToken') ?? '';
  return token === '' ? null : token;
}

/** HiBob's test ping when a webhook is created. HiBob documents no signature for it, and expects a 2xx response. */
export function isTestPing(body: Buffer): boolean {
  return body.length <= LONGEST_PING && PING.test(body.toString('utf8'));
}

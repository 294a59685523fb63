/** The proxy did not open a tunnel, so nothing was sent to the server behind it. */
export class ProxyFault extends Error {
  /** @param status the status of the proxy's answer; null if the proxy itself could not be reached */
  constructor(
    readonly status: number | null,
    cause?: Error,
  ) {
    super(status === null ? 'the proxy cannot be reached' : `the proxy answered ${status}`, { cause });
    this.name = 'ProxyFault';
  }
}

/**
 * Codes that mean that no connection was made, so nothing was sent. `UND_ERR_…` is from undici, the TLS codes are from
 * OpenSSL.
 */
const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|(UND_ERR_)?CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*)$/;
/** Node's codes for certificates from unknown authorities. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)|CERT_UNTRUSTED/;

/** Why an answer is missing or incomplete. */
export interface BrokenConnection {
  /** Node's code of the innermost cause; empty if there is none. */
  readonly code: string;
  readonly message: string;
  readonly proxyFault: ProxyFault | null;
  /** True if no connection was made, so nothing can have arrived. */
  readonly isUnsent: boolean;
  readonly isUntrusted: boolean;
}

export function readBroken(error: unknown): BrokenConnection {
  const causes = listCauses(error);
  const codes = causes.map((cause) => ('code' in cause ? cause.code : null)).filter((code) => typeof code === 'string');
  const code = codes.at(-1) ?? '';
  const proxyFault = causes.find((cause) => cause instanceof ProxyFault) ?? null;
  const isUnsent = UNSENT.test(code) || proxyFault !== null;
  return { code, message: causes.at(-1)?.message ?? '', proxyFault, isUnsent, isUntrusted: UNTRUSTED.test(code) };
}

/** The error and its causes. fetch wraps the reason, and a host with several addresses adds another level. */
export function listCauses(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let next = error; next instanceof Error && causes.length < 5; ) {
    causes.push(next);
    next = next instanceof AggregateError ? next.errors[0] : next.cause;
  }
  return causes;
}

/**
 * Advice for a failed connection; null if neither the error nor the environment suggests a fix.
 *
 * @param unusedProxy the environment variable that names a proxy, if that proxy is not used
 * @param at prefix of the keys in the configuration: `service.`, or empty for a source
 */
export function hintAtWay(
  { proxyFault, isUnsent, isUntrusted }: BrokenConnection,
  unusedProxy: string | null,
  at: string,
): string | null {
  if (!isUnsent) return null;
  if (proxyFault?.status === 407)
    return `The proxy requires a login: set \`${at}proxy.username\` and \`${at}proxy.password\`, or correct them.`;
  if (proxyFault !== null && proxyFault.status !== null)
    return `Configure the proxy in \`${at}proxy\` to allow this address, or correct that key.`;
  if (isUntrusted)
    return `Set \`${at}tls.ca\` to the authority that signed the server's certificate, or NODE_EXTRA_CA_CERTS for all connections.`;
  return unusedProxy === null ? null : `${unusedProxy} is set, but not used. Name the proxy in \`${at}proxy\`.`;
}

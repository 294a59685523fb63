import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface VendorRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface VendorReply {
  readonly status: number;
  /** Sent as JSON; a string is sent verbatim; nothing is sent when absent. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A number alone is sent in the vendor’s own form of errors. Only `truncated` and `reset after` carry out the request.
 */
export type Fault = 'reset' | 'reset after' | 'hang' | 'truncated' | 'html' | number | VendorReply;

export interface WaitingFault {
  readonly fault: Fault;
  /** The method and path it applies to, for example /POST .*search/; when absent, the next request. */
  readonly on?: RegExp;
}

export interface VendorServer {
  /** Has no trailing slash. */
  readonly url: string;
  /** All requests in order, including those that met a fault. */
  readonly requests: VendorRequest[];
  /** Each fault applies once, to the first matching request. */
  readonly faults: WaitingFault[];
  failNext(fault: Fault, on?: RegExp): void;
  close(): Promise<void>;
}

export interface Vendor {
  /** Handles any request; throws a `Refusal` to answer with an error. */
  answer(request: VendorRequest, url: string): VendorReply | Promise<VendorReply>;
  /** The vendor’s form of an error with this status. */
  refuse(status: number): VendorReply;
}

/** An error of the vendor, thrown wherever a check fails. */
export class Refusal extends Error {
  constructor(readonly reply: VendorReply) {
    super(`HTTP ${reply.status}`);
  }
}

/** The time that stamps changes, and that tokens and limits go by. */
export type Now = () => number;

export async function startVendor(vendor: Vendor): Promise<VendorServer> {
  const requests: VendorRequest[] = [];
  const faults: WaitingFault[] = [];
  let url = '';
  const server = createServer({ maxHeaderSize: 65_536 }, async (incoming, response) => {
    const target = new URL(incoming.url ?? '/', url);
    const request: VendorRequest = {
      method: incoming.method ?? 'GET',
      path: decodeURIComponent(target.pathname),
      query: target.searchParams,
      headers: incoming.headers,
      body: await text(incoming).catch(() => ''),
    };
    requests.push(request);
    const fault = takeFault(faults, request);
    if (fault === 'hang') return;
    if (fault === 'reset') {
      incoming.socket.resetAndDestroy();
      return;
    }
    const reply = fault !== null && typeof fault === 'object' ? fault : await judge(vendor, request, url, fault);
    if (fault === 'reset after') {
      incoming.socket.resetAndDestroy();
      return;
    }
    send(response, reply, fault === 'truncated');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    faults,
    failNext: (fault, on) => void faults.push(on === undefined ? { fault } : { fault, on }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function takeFault(faults: WaitingFault[], request: VendorRequest): Fault | null {
  const at = faults.findIndex(({ on }) => on?.test(`${request.method} ${request.path}`) ?? true);
  return faults.splice(at, at === -1 ? 0 : 1)[0]?.fault ?? null;
}

async function judge(vendor: Vendor, request: VendorRequest, url: string, fault: Fault | null): Promise<VendorReply> {
  if (fault === 'html') {
    return {
      status: 200,
      body: '<html><body>Scheduled maintenance</body></html>',
      headers: { 'content-type': 'text/html; charset=utf-8' },
    };
  }
  if (typeof fault === 'number') return vendor.refuse(fault);
  try {
    return await vendor.answer(request, url);
  } catch (error) {
    return error instanceof Refusal ? error.reply : { status: 500, body: String(error) };
  }
}

function send(response: ServerResponse, { status, body, headers }: VendorReply, truncated: boolean): void {
  const content = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const bytes = Buffer.from(content);
  const type =
    typeof body === 'string' || body === undefined ? {} : { 'content-type': 'application/json;charset=utf-8' };
  response.writeHead(status, { 'content-length': String(bytes.length), ...type, ...headers });
  if (!truncated) {
    response.end(bytes);
    return;
  }
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.socket?.destroy());
}

/** The type of the JSON bodies of requests: their content is still unchecked. */
export type Json = Readonly<Record<string, unknown>>;

export function readJson(request: VendorRequest, refusal: VendorReply): Json {
  try {
    const parsed: unknown = JSON.parse(request.body);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Json;
  } catch {}
  throw new Refusal(refusal);
}

export function readList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter((one): one is Json => typeof one === 'object' && one !== null) : [];
}

export function readStrings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

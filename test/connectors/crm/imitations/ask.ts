import { closeAfterTest } from '../../../closing.js';
import type { VendorServer } from './vendor-server.js';

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface Asking {
  readonly method?: string;
  readonly token?: string;
  readonly json?: unknown;
  readonly headers?: Record<string, string>;
}

export async function ask<Body = unknown>(
  url: string,
  { method, token, json, headers }: Asking = {},
): Promise<Answer<Body>> {
  const response = await fetch(url, {
    method: method ?? (json === undefined ? 'GET' : 'POST'),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body };
}

export function opened<Vendor extends VendorServer>(vendor: Vendor): Vendor {
  closeAfterTest(vendor);
  return vendor;
}

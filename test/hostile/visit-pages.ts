import { WEB_ROUTES } from '../../src/daemon/web/operator/server.js';

export interface Visited {
  readonly path: string;
  readonly status: number;
  readonly type: string;
  /** Headers and body, verbatim. */
  readonly sent: string;
}

export interface Visit {
  readonly url: string;
  readonly tenant: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Addresses that no page links to, such as a search. */
  readonly more?: readonly string[];
}

/** The server answers an address 300 times per minute. */
const MOST_OF_A_ROUTE = 4;
/** Only a person on the way to an identity provider comes here; and assistants must POST. */
const LEADS_NOWHERE = /^\/login\/openid|^\/mcp$/;
const READ = WEB_ROUTES.filter(({ method, path }) => method === 'GET' && !LEADS_NOWHERE.test(path)).map(({ path }) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`),
}));

/** Every readable address: those without a link to them, and everything linked from there. */
export async function visitPages({ url, tenant, headers = {}, more = [] }: Visit): Promise<readonly Visited[]> {
  const waiting = [...READ.map(({ path }) => path.replace(':tenant', tenant)).filter(isWhole), ...more];
  const seen = new Set(waiting);
  const counts = new Map<string, number>();
  const visited: Visited[] = [];
  for (const path of waiting) {
    const route = routeOf(path);
    const count = (counts.get(route ?? '') ?? 0) + 1;
    if (route === null || (count > MOST_OF_A_ROUTE && !more.includes(path))) continue;
    counts.set(route, count);
    const one = await visitOne(url, path, { ...headers, accept: path.startsWith('/api/') ? '*/*' : 'text/html' });
    visited.push(one);
    for (const next of listLinks(one.sent, tenant)) {
      if (!seen.has(next)) waiting.push(next);
      seen.add(next);
    }
  }
  return visited;
}

/** Routes of which no address was answered or redirected: an unvisited page could reveal anything. */
export function listUnseen(visited: readonly Visited[]): readonly string[] {
  const seen = new Set(visited.filter(({ status }) => status < 400).map(({ path }) => routeOf(path)));
  return READ.map(({ path }) => path).filter((path) => !seen.has(path));
}

function isWhole(path: string): boolean {
  return !path.includes(':');
}

function routeOf(path: string): string | null {
  const [bare = ''] = path.split('?');
  const exact = READ.find((route) => route.path === bare);
  return (exact ?? READ.find(({ pattern }) => pattern.test(bare)))?.path ?? null;
}

export async function visitOne(url: string, path: string, headers: Readonly<Record<string, string>>): Promise<Visited> {
  const response = await fetch(url + path, { headers, redirect: 'manual' });
  const type = response.headers.get('content-type') ?? '';
  const body = type.startsWith('text/event-stream') ? await readFirst(response) : await response.text();
  return { path, status: response.status, type, sent: `${JSON.stringify([...response.headers])}\n${body}` };
}

/** Events continue as long as somebody listens. */
async function readFirst({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return Buffer.from(first?.value ?? []).toString();
}

function listLinks(text: string, tenant: string): readonly string[] {
  const hrefs = [...text.matchAll(/(?:href|data-events)="(\/[^"#]*)/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );
  // Programs read with the same ids the data that pages show of a run, and the pending items.
  const runs = hrefs.flatMap((href) => /^\/tenants\/[^/]+\/((?:runs|plans)\/[^/?]+)$/.exec(href)?.[1] ?? []);
  const holds = [...text.matchAll(/"id":"([0-9a-f]{12,64})"/g)].map(([, id = '']) => `holds/${id}`);
  return [...hrefs, ...[...runs, ...holds].map((twin) => `/api/tenants/${tenant}/${twin}`)];
}

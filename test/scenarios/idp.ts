import { createServer } from 'node:http';
import { listenOnLoopback } from '../loopback.js';

export interface Account {
  readonly id: string;
  readonly externalId: string;
  readonly title?: string;
  readonly phone?: string;
  readonly active?: boolean;
}

export interface Idp {
  readonly url: string;
  accounts: readonly Account[];
  /** `cut`: reports one more account than it delivers. */
  mode: 'whole' | 'cut' | 'down' | 'denied';
}

/** An identity provider that answers `GET /Users`, completely or as badly as its mode says. */
export async function openIdp(accounts: readonly Account[]): Promise<Idp> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/scim+json' }).end(JSON.stringify(body));
    };
    if (idp.mode === 'down') return answer(503, {});
    if (idp.mode === 'denied' || request.headers.authorization !== 'Bearer idp-token') return answer(401, {});
    // Users are listed here, but shown by id only with a permission, so absences have to be counted.
    if (!request.url?.startsWith('/Users?')) return answer(403, {});
    const query = new URL(request.url ?? '/', 'http://idp').searchParams;
    const start = Number(query.get('startIndex') ?? 1) - 1;
    const page = idp.accounts.slice(start, start + Number(query.get('count') ?? 100));
    answer(200, {
      totalResults: idp.accounts.length + (idp.mode === 'cut' ? 1 : 0),
      Resources: page.map(({ id, externalId, title, phone, active = true }) => ({
        id,
        externalId,
        active,
        userName: `${id}@example.com`,
        ...(title === undefined ? {} : { title }),
        ...(phone === undefined ? {} : { phoneNumbers: [{ type: 'mobile', value: phone }] }),
      })),
    });
  });
  const idp: Idp = { url: await listenOnLoopback(server), accounts, mode: 'whole' };
  return idp;
}

import { randomBytes } from 'node:crypto';
import { SyncError } from '../../base/errors.js';
import type { Json } from '../../model/json.js';
import type { Statement } from './file-line.js';
import { keepHere } from './leases.js';
import type { Postgres } from './postgres.js';

/** An order for the daemon that holds the tenant, or that claims it next. */
export interface InboxOrder {
  readonly tenant: string;
  /** The name of an operation, or the requested kind of work: a plan or a run. */
  readonly kind: string;
  /** The input, the person who gives the order, and the proof of that person's identity. */
  readonly content: Json;
  /** Orders with the same key are joined. Without a key, orders with the same content are joined. */
  readonly key?: string;
  readonly as: WaitingOrders;
}

/** A decision is carried out within a second if the tenant has a holder. Requests wait for their turn. */
export type WaitingOrders = 'decisions' | 'requests';

export interface InboxEntry {
  /** A random id that nobody can guess. */
  readonly id: string;
  readonly tenant: string;
  readonly kind: string;
  readonly content: Json;
  /** Milliseconds since the epoch, by the server's clock. */
  readonly atMs: number;
  readonly state: 'queued' | 'running' | 'ended';
  /** Null until the order has ended. */
  readonly answer: Json;
}

export type Inbox = ReturnType<typeof createInbox>;

/** The key of an order without its content. The order's answer does not name anyone either. */
export const FORGOTTEN = 'forgotten';

/** Number of ended orders kept per tenant, so that senders can still read the answers. */
const KEPT = 50;
/** Maximum number of waiting orders of one kind per tenant. */
export const MOST_WAITING: Readonly<Record<WaitingOrders, number>> = { decisions: 1_000, requests: 20 };

export function createInbox({ ask, seal }: Pick<Postgres, 'ask' | 'seal'>) {
  const close = (content: Json, about: readonly string[]): Buffer =>
    seal.close(Buffer.from(JSON.stringify(content)), about);

  function toEntry({ id, tenant, kind, content, at, begun_at, ended_at, answer }: StoredOrder): InboxEntry {
    const open = (text: Buffer | null, what: string): Json =>
      text === null ? null : (JSON.parse(seal.open(text, [tenant, 'inbox', id, what]).toString('utf8')) as Json);
    return {
      ...{ id, tenant, kind, atMs: at.getTime() },
      content: open(content, 'order'),
      state: phaseOf(begun_at, ended_at),
      answer: open(answer, 'answer'),
    };
  }

  return {
    /**
     * Adds an order, or joins an identical waiting one.
     *
     * @returns the order's id
     * @throws SyncError SYNC_WEB_REFUSED if too many are waiting, SYNC_STATE_ELSEWHERE
     */
    async put({ tenant, kind, content, key = JSON.stringify(content), as }: InboxOrder): Promise<string> {
      const id = `w${randomBytes(12).toString('hex')}`;
      const digest = seal.digest(`${kind}\0${key}`);
      const sealed = close(content, [tenant, 'inbox', id, 'order']);
      const [row] = await ask<{ id: string }>(PUT, [id, tenant, digest, kind, sealed, MOST_WAITING[as]]);
      if (row !== undefined) return row.id;
      await keepHere(ask, tenant);
      throw tooMany(as);
    },
    /** The waiting orders for these held tenants, oldest first. */
    async waiting(tenants: readonly string[]): Promise<readonly InboxEntry[]> {
      return (await ask<StoredOrder>(WAITING, [tenants])).map(toEntry);
    },
    async find(tenant: string, id: string): Promise<InboxEntry | null> {
      const [row] = await ask<StoredOrder>(`${SELECT} WHERE tenant = $1 AND id = $2`, [tenant, id]);
      return row === undefined ? null : toEntry(row);
    },
    async newest(tenant: string, most: number): Promise<readonly InboxEntry[]> {
      return (await ask<StoredOrder>(`${SELECT} WHERE tenant = $1 ORDER BY seq DESC LIMIT $2`, [tenant, most])).map(
        toEntry,
      );
    },
    /** Removes an order that nobody needs any more. @returns false if a daemon has already begun it */
    async withdraw(tenant: string, id: string): Promise<boolean> {
      return (await ask(WITHDRAW, [tenant, id])).length > 0;
    },
    begin: (id: string): Statement => ['UPDATE inbox SET begun_at = clock_timestamp() WHERE id = $1', [id]],
    /**
     * Marks a plan or run as begun. Later identical orders are not joined to it, because it may miss the data they were
     * sent for.
     */
    beginWork: (id: string): Statement => [
      'UPDATE inbox SET begun_at = clock_timestamp(), key = $1 WHERE id = $1',
      [id],
    ],
    /** Ends the order. Execute it together with the commit that the order caused. */
    end: ({ id, tenant }: Pick<InboxEntry, 'id' | 'tenant'>, answer: Json): Statement => [
      END,
      [tenant, id, close(answer, [tenant, 'inbox', id, 'answer']), KEPT],
    ],
    /** Removes an order's content if it names an erased person. Execute it before the order ends, in the same commit. */
    forgetOrder: ({ id, tenant }: Pick<InboxEntry, 'id' | 'tenant'>): Statement => [
      'UPDATE inbox SET content = $2, key = $3 WHERE id = $1',
      [id, close(null, [tenant, 'inbox', id, 'order']), FORGOTTEN],
    ],
  };
}

const SELECT = 'SELECT id, tenant, kind, content, at, begun_at, ended_at, answer FROM inbox';

/** Prevents the tenant's state from being moved away until the order is stored. */
const PUT = `
WITH here AS (SELECT left_at FROM tenant WHERE name = $2 FOR KEY SHARE)
INSERT INTO inbox (id, tenant, key, kind, content)
SELECT $1, $2, $3, $4, $5
WHERE NOT EXISTS (SELECT FROM here WHERE left_at IS NOT NULL)
  AND (SELECT count(*) FROM inbox WHERE tenant = $2 AND kind = $4 AND ended_at IS NULL) < $6
ON CONFLICT (tenant, key) WHERE ended_at IS NULL DO UPDATE SET tenant = excluded.tenant
RETURNING id`;

const WAITING = `${SELECT} WHERE tenant = ANY ($1::text[]) AND ended_at IS NULL ORDER BY seq`;

const WITHDRAW = 'DELETE FROM inbox WHERE tenant = $1 AND id = $2 AND begun_at IS NULL RETURNING id';

const END = `
WITH ended AS (
  UPDATE inbox SET begun_at = coalesce(begun_at, clock_timestamp()), ended_at = clock_timestamp(), answer = $3
  WHERE tenant = $1 AND id = $2 AND ended_at IS NULL
)
DELETE FROM inbox WHERE tenant = $1 AND ended_at IS NOT NULL
  AND seq < (SELECT min(seq) FROM (SELECT seq FROM inbox WHERE tenant = $1 ORDER BY seq DESC LIMIT $4) AS kept)`;

export function tooMany(what: WaitingOrders): SyncError {
  return new SyncError('SYNC_WEB_REFUSED', {
    message: `${MOST_WAITING[what]} ${what} of this kind are already pending for this tenant.`,
    place: 'now',
    remedy: 'Wait until a daemon has carried them out.',
  });
}

function phaseOf(begun: Date | null, ended: Date | null): InboxEntry['state'] {
  if (ended !== null) return 'ended';
  return begun === null ? 'queued' : 'running';
}

interface StoredOrder {
  readonly [column: string]: unknown;
  readonly id: string;
  readonly tenant: string;
  readonly kind: string;
  readonly content: Buffer;
  readonly at: Date;
  readonly begun_at: Date | null;
  readonly ended_at: Date | null;
  readonly answer: Buffer | null;
}

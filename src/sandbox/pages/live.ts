import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse } from '../fields/refusal.js';
import { showCall } from './calls-page.js';
import { countRecords } from './counts.js';
import type { PageParts } from './page.js';

/** Maximum number of watchers. Each needs a timer, so a larger number is a mistake or an attack. */
const MOST_WATCHERS = 24;
const BEAT_MS = 250;
/** If more calls arrive between two beats, only the newest are shown. The others are counted. */
const MOST_CALLS = 50;
const MOST_UNREAD_BYTES = 256 * 1024;
/** A heartbeat shows each side that the other still exists. A watcher that has read nothing for this long is disconnected. */
const HEARTBEATS_MS = 15_000;
/** Counting 100,000 users takes milliseconds, so it is not done at every beat during a sync. */
const COUNTS_MS = 1_000;

interface Watcher {
  readonly reply: FastifyReply;
  /** Number of the newest call that the watcher has received. */
  after: number;
  mark: string;
  /** Time of its last event, and of its last counts. */
  sentMs: number;
  countedMs: number;
}

/**
 * Implements `GET /live` with server-sent events. `calls` is `{ missed, calls: ShownCall[] }`, newest last. `counts` is sent
 * when something in the account has changed. Nothing is buffered per watcher: each gets the log entries since its last beat. A
 * slow reader therefore misses calls but uses no memory.
 */
export function createLive(parts: PageParts) {
  const watchers = new Set<Watcher>();
  let timer: NodeJS.Timeout | undefined;

  function leave(watcher: Watcher): void {
    watchers.delete(watcher);
    watcher.reply.raw.destroy();
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function beat(): void {
    const nowMs = performance.now();
    for (const watcher of watchers) {
      if (watcher.reply.raw.writableLength > MOST_UNREAD_BYTES) {
        if (nowMs - watcher.sentMs > HEARTBEATS_MS) leave(watcher);
        continue;
      }
      const text = describeNews(parts, watcher, nowMs);
      if (text === '') continue;
      watcher.sentMs = nowMs;
      watcher.reply.raw.write(text);
    }
  }

  return {
    watch(request: FastifyRequest, reply: FastifyReply): void {
      if (watchers.size >= MOST_WATCHERS)
        refuse(503, `${MOST_WATCHERS} pages are already connected: close some of them`);
      const { total } = parts.calls;
      const { after, mark = '' } = request.query as Readonly<Record<string, string | undefined>>;
      const known = Number(request.headers['last-event-id'] ?? after ?? total);
      beginStream(reply);
      // A number that this process has not assigned comes from before a restart.
      const from = Number.isInteger(known) && known >= 0 && known <= total ? known : total;
      const watcher = { reply, after: from, mark, sentMs: performance.now(), countedMs: 0 };
      watchers.add(watcher);
      timer ??= setInterval(beat, BEAT_MS);
      reply.raw.once('close', () => leave(watcher));
    },
    /** Disconnects all watchers, so that the server can stop. */
    close(): void {
      for (const watcher of watchers) leave(watcher);
    },
  };
}

function beginStream(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  reply.raw.write('retry: 2000\n\n');
}

function describeNews(
  { calls, world, faults }: Pick<PageParts, 'calls' | 'world' | 'faults'>,
  watcher: Watcher,
  nowMs: number,
): string {
  let text = '';
  const { total } = calls;
  if (total > watcher.after) {
    const shown = calls.listAfter(watcher.after, MOST_CALLS).map((call) => showCall(world, call));
    const data = { missed: total - watcher.after - shown.length, calls: shown };
    text += `id: ${total}\nevent: calls\ndata: ${JSON.stringify(data)}\n\n`;
    watcher.after = total;
  }
  if (nowMs - watcher.countedMs >= COUNTS_MS) {
    watcher.countedMs = nowMs;
    const counts = countRecords({ world, faults });
    if (counts.mark !== watcher.mark) text += `event: counts\ndata: ${JSON.stringify(counts)}\n\n`;
    watcher.mark = counts.mark;
  }
  return text === '' && nowMs - watcher.sentMs >= HEARTBEATS_MS ? ': here\n\n' : text;
}

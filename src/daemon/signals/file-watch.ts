import { type FSWatcher, watch } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { asSyncError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { compareNames, matchesPattern } from '../../connectors/drop/file-names.js';
import { openDropStore, type StoreContext } from '../../connectors/drop/open-store.js';
import type { FileStreamConfig } from '../../connectors/drop/resolve-file-stream.js';
import type { DropStore } from '../../connectors/drop/store.js';
import { listFileStreams } from '../../connectors/kinds.js';
import { listStreams } from '../../model/stream.js';
import type { SignalPort } from './signals.js';

export interface FileWatchOptions {
  readonly logger: Logger;
  readonly signals: SignalPort;
  readonly context: StoreContext;
  /** True if another daemon may have seen a new file before without signalling it. */
  readonly isShared: boolean;
  /** Tenants whose files this daemon watches now. */
  readonly tenants: () => readonly { readonly name: string; readonly config: Config }[];
}

/** How often the watch looks at folders that may have changed. */
const LOOK_MS = 1_000;
/** How often each folder is listed in any case. Remote folders, and some local ones, send no change events. */
const LIST_MS = 60_000;

/** The longest time without a watcher when one daemon takes over from another. */
const GAP_MS = LIST_MS + 30_000;

/** A folder that does not respond must not keep the process from ending. */
const CLOSE_MS = 2_000;

interface FoundFiles {
  readonly count: number;
  /** Name, time and size of the newest file; '' if there is none. */
  readonly newest: string;
  readonly mtimeMs: number | null;
  /** True if a `NAME.done` file marks the newest one as complete. */
  readonly isDone: boolean;
}

interface WatchedDrop {
  readonly tenant: string;
  readonly source: string;
  readonly stream: FileStreamConfig;
  watcher: FSWatcher | null;
  /** The files at the last look; null before the first one. */
  known: FoundFiles | null;
  /** When the files last changed. */
  sinceMs: number;
  isSignalled: boolean;
  /** Time of the next look. */
  nextMs: number;
  /** The look under way. Each stream has its own look, so a folder that does not respond blocks no other folder. */
  looking: Promise<void> | null;
}

/** Signals a new or changed file once it is complete. */
export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #drops = new Map<string, WatchedDrop>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Looks at every folder that may have changed. Resolves when done. */
  async look(): Promise<void> {
    this.#follow();
    const now = this.#options.context.clock.now();
    const due = [...this.#drops.values()].filter(({ nextMs, looking }) => nextMs <= now && looking === null);
    for (const drop of due)
      drop.looking = this.#lookAt(drop).finally(() => {
        drop.looking = null;
      });
    await Promise.all(due.map(({ looking }) => looking));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const drops = [...this.#drops.values()];
    this.#drops.clear();
    for (const { watcher } of drops) watcher?.close();
    const end = setTimeout(CLOSE_MS, undefined, { ref: false });
    await Promise.race([Promise.all(drops.map(({ looking }) => looking)), end]);
  }

  /** Adds and removes streams to match the configurations. */
  #follow(): void {
    const wanted = new Set<string>();
    for (const { name: tenant, config } of this.#options.tenants()) {
      for (const { name: source, config: stream } of listFileStreams(listStreams(config.sources))) {
        const id = `${tenant}\0${source}\0${stream.drop}\0${stream.pattern}\0${stream.settleMs}`;
        wanted.add(id);
        if (!this.#drops.has(id)) this.#drops.set(id, this.#add(tenant, source, stream));
      }
    }
    for (const [id, { watcher }] of this.#drops) {
      if (wanted.has(id)) continue;
      watcher?.close();
      this.#drops.delete(id);
    }
  }

  #add(tenant: string, source: string, stream: FileStreamConfig): WatchedDrop {
    const since = { known: null, sinceMs: 0, isSignalled: true, nextMs: 0, looking: null };
    return { ...{ tenant, source, stream, watcher: null }, ...since };
  }

  /** Opens a new watcher at each look, because the folder may have been created or replaced since the last look. */
  #watch(drop: WatchedDrop): void {
    drop.watcher?.close();
    if (drop.stream.sftp !== null) return;
    drop.watcher = openWatcher(drop.stream.drop, () => {
      drop.nextMs = 0;
    });
  }

  async #lookAt(drop: WatchedDrop): Promise<void> {
    const { context, isShared, logger, signals } = this.#options;
    const { tenant, source, stream } = drop;
    drop.nextMs = context.clock.now() + LIST_MS;
    this.#watch(drop);
    try {
      const found = await findNewest(stream, context);
      const now = context.clock.now();
      if (isNews(found, drop.known)) {
        // A file that was complete before the daemon started is left to the scheduled runs.
        const oldMs = stream.settleMs + (isShared ? GAP_MS : 0);
        drop.isSignalled = drop.known === null && (found.mtimeMs === null || now - found.mtimeMs > oldMs);
        drop.sinceMs = now;
      }
      drop.known = found;
      if (drop.isSignalled || found.mtimeMs === null) return;
      const restMs = Math.min(stream.settleMs - (now - drop.sinceMs), stream.settleMs - (now - found.mtimeMs));
      if (restMs > 0 && !found.isDone) {
        drop.nextMs = now + restMs;
        return;
      }
      drop.isSignalled = true;
      signals.signal({ tenant, source, kind: 'file' });
    } catch (error) {
      const { code, message } = asSyncError(error);
      logger.debug({ tenant, source, code, message }, 'the folder of a source cannot be watched');
    }
  }
}

/** True if a file was added or changed. A removed file does not count. */
function isNews(found: FoundFiles, known: FoundFiles | null): boolean {
  if (known === null || found.count > known.count) return true;
  const [timeMs, knownMs] = [found.mtimeMs ?? 0, known.mtimeMs ?? 0];
  return timeMs > knownMs || (timeMs === knownMs && found.newest !== known.newest);
}

function openWatcher(folder: string, onChange: () => void): FSWatcher | null {
  try {
    return watch(folder, { persistent: false }, onChange).on('error', () => undefined);
  } catch {
    // The folder does not exist yet or cannot be watched. The folder is listed once a minute instead.
    return null;
  }
}

/** Describes the newest file of a stream by name, size and time. */
async function findNewest(stream: FileStreamConfig, context: StoreContext) {
  const store = openDropStore(stream, context);
  try {
    return await describeNewest(store, stream);
  } finally {
    await store.close();
  }
}

async function describeNewest(store: DropStore, { pattern }: FileStreamConfig): Promise<FoundFiles> {
  const names = await store.list();
  const matching = names.filter((name) => matchesPattern(name, pattern) && !name.endsWith('.done')).sort(compareNames);
  const times = await store.times(matching);
  const latest = [...times].sort(([, a], [, b]) => b - a)[0];
  if (latest === undefined) return { count: 0, newest: '', mtimeMs: null, isDone: false };
  const [name, mtimeMs] = latest;
  const facts = await store.stat(name);
  return {
    count: matching.length,
    newest: `${name} ${mtimeMs} ${facts?.size}`,
    mtimeMs,
    isDone: names.includes(`${name}.done`),
  };
}

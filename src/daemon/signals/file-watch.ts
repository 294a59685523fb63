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
  /** With what files are listed. */
  readonly context: StoreContext;
  /** Another daemon may have watched before: a file that has just come was seen there, and may not have been signalled. */
  readonly isShared: boolean;
  /** Tenants whose files are watched by this daemon now. */
  readonly tenants: () => readonly { readonly name: string; readonly config: Config }[];
}

/** How often folders that may have changed are looked at. */
const LOOK_MS = 1_000;
/** Folders on other machines say nothing by themselves, and some of this machine's neither. */
const LIST_MS = 60_000;

/** Between two daemons that watch nobody may look for so long. */
const GAP_MS = LIST_MS + 30_000;

/** A folder that does not answer keeps no process from ending. */
const CLOSE_MS = 2_000;

/** The files of a stream in its folder. */
interface FoundFiles {
  readonly count: number;
  /** Name, time and size of the newest; '' without one. */
  readonly newest: string;
  readonly mtimeMs: number | null;
  /** Another file says that it is complete: `NAME.done`. */
  readonly isDone: boolean;
}

/** A file stream that is watched. */
interface WatchedDrop {
  readonly tenant: string;
  readonly source: string;
  readonly stream: FileStreamConfig;
  watcher: FSWatcher | null;
  /** As the last look found them; null before the first one. */
  known: FoundFiles | null;
  /** Since when it is so. */
  sinceMs: number;
  isSignalled: boolean;
  /** When it is looked at next. */
  nextMs: number;
  /** The look under way: a folder that does not answer keeps no other one waiting. */
  looking: Promise<void> | null;
}

/** Signals a file that has appeared or changed, once it is complete. */
export class FileWatch {
  readonly #options: FileWatchOptions;
  readonly #drops = new Map<string, WatchedDrop>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
  }

  /** Looks at the folders that may have changed. Resolves when it has. */
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

  /** Streams come and go with the configurations. */
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

  /** Opens a new watcher at each look: the folder may have been made since, or made again. */
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
        // A file that was complete before the daemon came is for its schedule.
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

/** Files that are put away are no news. */
function isNews(found: FoundFiles, known: FoundFiles | null): boolean {
  if (known === null || found.count > known.count) return true;
  const [timeMs, knownMs] = [found.mtimeMs ?? 0, known.mtimeMs ?? 0];
  return timeMs > knownMs || (timeMs === knownMs && found.newest !== known.newest);
}

function openWatcher(folder: string, onChange: () => void): FSWatcher | null {
  try {
    return watch(folder, { persistent: false }, onChange).on('error', () => undefined);
  } catch {
    // It is not there yet, or cannot be watched: it is listed once a minute.
    return null;
  }
}

/** The newest file of a stream as far as its name, size and time say which. */
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

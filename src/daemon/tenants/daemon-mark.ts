import { readFileSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { SyncError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { createDraft } from '../../base/new-file.js';
import { isAlive } from '../../base/process-life.js';
import { isJsonObject, type Json, textOf } from '../../model/json.js';

/** A daemon that serves a state folder. */
interface Server {
  /** `daemon, process 4711 on worker-1` */
  readonly holder: string;
  readonly host: string;
  readonly pid: number;
}

interface MarkOptions {
  readonly holder: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const FILE = 'daemon.json';
/** A living daemon renews its mark each minute. */
const FRESH_MS = 3 * 60_000;

/**
 * Marks the state folder that a daemon serves, because the run lock is held only during runs. Two daemons on one state do
 * no harm, but nobody means to start both. A mark never keeps a daemon from working: a rolling update starts the new daemon
 * while the old one ends. A daemon that was killed leaves a mark behind, which counts only while its process is alive; on
 * another machine, while it is renewed.
 */
export class DaemonMark {
  readonly #options: MarkOptions;
  readonly #own: Server;
  #told: string | null = null;

  constructor(options: MarkOptions) {
    this.#options = options;
    this.#own = { holder: options.holder, host: hostname(), pid: process.pid };
  }

  /** @throws SyncError SYNC_STATE_LOCKED if another daemon serves the folder */
  check(folder: string): void {
    const other = this.#findOther(folder);
    if (other === null) return;
    throw new SyncError('SYNC_STATE_LOCKED', {
      message: `Another daemon serves this state: ${other.holder}.`,
      place: join(folder, FILE),
      remedy: 'Stop one of the two. The mark of an ended daemon stops counting within three minutes.',
    });
  }

  /** Renews the mark, or warns once about another daemon that serves the folder. */
  renew(folder: string): void {
    const { clock, logger } = this.#options;
    const other = this.#findOther(folder);
    if (other === null) this.#write(folder, clock.now() / 1_000);
    else if (other.holder !== this.#told)
      logger.warn({ state: folder, other: other.holder }, 'another daemon serves the same state: stop one of the two');
    this.#told = other?.holder ?? null;
  }

  /** Removes the mark when the daemon no longer serves the folder. */
  remove(folder: string): void {
    if (isSame(readServer(folder), this.#own)) attempt(() => unlinkSync(join(folder, FILE)));
  }

  #findOther(folder: string): Server | null {
    const server = readServer(folder);
    if (server === null || isSame(server, this.#own) || !this.#isFresh(folder)) return null;
    return server.host !== this.#own.host || isAlive(server.pid) ? server : null;
  }

  #isFresh(folder: string): boolean {
    const renewedMs = statSync(join(folder, FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return this.#options.clock.now() - renewedMs < FRESH_MS;
  }

  /** A mark that cannot be written is not worth an error: it only serves a warning. */
  #write(folder: string, at: number): void {
    attempt(() => {
      const file = join(folder, FILE);
      if (!isSame(readServer(folder), this.#own)) {
        const draft = createDraft(file);
        draft.write(`${JSON.stringify(this.#own)}\n`);
        draft.finish();
      }
      utimesSync(file, at, at);
    });
  }
}

function isSame(one: Server | null, other: Server): boolean {
  return one?.host === other.host && one.pid === other.pid;
}

/** Null without a readable mark. */
function readServer(folder: string): Server | null {
  let read: Json = null;
  attempt(() => {
    read = JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as Json;
  });
  if (!isJsonObject(read)) return null;
  const { holder, host, pid } = read;
  return { holder: textOf(holder), host: textOf(host), pid: Number(pid) };
}

function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The next look tries again.
  }
}

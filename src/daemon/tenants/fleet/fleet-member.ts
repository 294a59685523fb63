import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { asSyncError, SyncError } from '../../../base/errors.js';
import type { Logger } from '../../../base/logger.js';
import type { Config } from '../../../config/config.js';
import { type FleetSettings, loadFleet } from '../../../config/load-fleet.js';
import { isFolder, readVolume, writeVolume } from '../../../store/state-token.js';
import type { ConfigFile } from '../find-configs.js';
import { giveState, type Hand, takeState } from './hand-over.js';
import { openPlace } from './hand-over-place.js';
import { ownerOf } from './owner-of.js';

export interface FleetOptions {
  readonly target: string;
  readonly ordinal: number;
  readonly logger: Logger;
  readonly holder: string;
}

/** One daemon of several: which tenants are its own now, and how their states come and go. */
export class FleetMember {
  readonly #options: FleetOptions;
  #settings: FleetSettings;
  #mine: ReadonlySet<string>;
  readonly #volume: string;

  /** @throws SyncError SYNC_CONFIG_INVALID */
  constructor(options: FleetOptions, settings: FleetSettings) {
    this.#options = options;
    this.#settings = settings;
    this.#mine = this.#findMine();
    this.#volume = openVolume(settings.volume);
  }

  /** The configurations of its own tenants among all, and a problem for each that lacks one. */
  *pick(files: Iterable<ConfigFile>): Generator<ConfigFile> {
    this.#readSettings();
    const found = new Set<string>();
    for (const file of files) {
      if (!this.#mine.has(file.tenant)) continue;
      found.add(file.tenant);
      yield file;
    }
    for (const tenant of this.#mine) if (!found.has(tenant)) yield this.#describeMissing(tenant);
  }

  /** @throws SyncError SYNC_CONFIG_INVALID when the state is not where states of this fleet are */
  checkState(tenant: string, { file, state }: Config): void {
    if (state === this.#stateOf(tenant)) return;
    throw new SyncError('SYNC_CONFIG_INVALID', {
      message: 'The state of a tenant of a fleet is the folder of its name on the volume.',
      place: `${file}: state`,
      remedy: `Write \`state: ${this.#stateOf(tenant)}\`.`,
    });
  }

  /** @throws SyncError SYNC_STATE_ELSEWHERE when the tenant must not run here */
  take(tenant: string): void {
    const taken = takeState(this.#hand(), tenant, this.#stateOf(tenant));
    if (taken !== 'had') this.#options.logger.info({ tenant, taken }, 'state taken over');
  }

  /**
   * Gives away what belongs to another daemon now. A run that is under way is waited for: the next look comes soon.
   *
   * @param isFree whether nothing here works for the tenant any more
   */
  *giveInSteps(isFree: (tenant: string) => boolean): Generator<void, void> {
    for (const tenant of this.#settings.tenants) {
      if (this.#mine.has(tenant) || !isFree(tenant) || !isFolder(this.#stateOf(tenant))) continue;
      this.#give(tenant);
      yield;
    }
  }

  #give(tenant: string): void {
    const { logger } = this.#options;
    try {
      const given = giveState(this.#hand(), tenant, this.#stateOf(tenant));
      const to = ownerOf(tenant, this.#settings.daemons);
      if (given === 'given') logger.info({ tenant, to }, 'state handed over');
      if (given === 'purged') logger.info({ tenant }, 'state removed: its new daemon has it');
    } catch (thrown) {
      const { code, message, place } = asSyncError(thrown);
      logger.warn({ tenant, code, message, place }, 'state not handed over yet');
    }
  }

  #hand(): Hand {
    const { ordinal, holder } = this.#options;
    return { place: openPlace(this.#settings.handOver), self: { volume: this.#volume, daemon: ordinal }, holder };
  }

  #stateOf(tenant: string): string {
    return join(this.#settings.volume, tenant);
  }

  /** What cannot be read changes nothing: the daemon throws, and goes on with what it knows. */
  #readSettings(): void {
    const settings = loadFleet(this.#options.target);
    if (settings === null) {
      throw new SyncError('SYNC_CONFIG_UNREADABLE', {
        message: 'The list of the fleet is gone.',
        place: this.#options.target,
        remedy: 'Put `daemon.yaml` with its `fleet:` back.',
      });
    }
    const { daemons, tenants } = settings;
    if (daemons === this.#settings.daemons && tenants.join() === this.#settings.tenants.join()) return;
    this.#settings = { ...this.#settings, daemons, tenants };
    this.#mine = this.#findMine();
    this.#options.logger.info({ daemons, tenants: tenants.length, own: this.#mine.size }, 'tenants of the fleet');
  }

  #findMine(): ReadonlySet<string> {
    const { daemons, tenants } = this.#settings;
    return new Set(tenants.filter((tenant) => ownerOf(tenant, daemons) === this.#options.ordinal));
  }

  #describeMissing(tenant: string): ConfigFile {
    const file = join(this.#options.target, `${tenant}.yaml`);
    const content = new SyncError('SYNC_CONFIG_UNREADABLE', {
      message: 'The list of the fleet names this tenant, but it has no configuration.',
      place: file,
      remedy: 'Put it there, or take the name off the list.',
    });
    return { tenant, file, content };
  }
}

function openVolume(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const known = readVolume(folder);
  if (known !== null) return known.id;
  const id = randomUUID();
  writeVolume(folder, { id });
  return id;
}

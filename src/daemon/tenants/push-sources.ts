import { statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, SyncError } from '../../base/errors.js';
import type { Receiver } from '../../connectors/kind.js';
import { kindOf } from '../../connectors/kinds.js';
import { findPushedCopy } from '../../store/remote/working-copy.js';
import { type OpenPushStore, openPushStore } from '../../store/state/open-push-store.js';
import type { PushStore } from '../../store/state/push-store.js';
import type { Backend } from './backend.js';
import type { Registered } from './registry.js';

/** A source of a running tenant that an identity provider pushes to. */
export interface PushSource extends Receiver {
  readonly tenant: string;
  readonly name: string;
  /**
   * Works with the newest pushed users and groups. A change takes effect on all daemons, or on none.
   *
   * @param work receives null while the tenant's state is not open, or cannot be used
   * @throws SyncError SYNC_BACKEND_*
   */
  use<T>(how: 'read' | 'change', work: (store: PushStore | null) => Promise<T>): Promise<T>;
}

export interface PushSources {
  /**
   * Finds a source by the parts of an address: `acme/idp/Users/4711`, or `idp/Users/4711` if only one tenant has a source of
   * that name.
   */
  find(parts: readonly string[]): { readonly source: PushSource; readonly used: number } | null;
  /** The proxies that each source trusts. */
  proxies(): readonly (readonly string[])[];
  close(): void;
}

interface UsedTenant {
  readonly tenant: string;
  readonly isOpen: boolean;
  /** Folder of the tenant's state. */
  readonly state: string;
}

interface Opened extends OpenPushStore {
  readonly inode: number;
}

/** Opens a separate connection to each state, because pushes arrive during runs and must not wait for them to end. */
export function createPushSources(
  list: () => readonly Pick<Registered, 'name' | 'config' | 'status'>[],
  backend: Pick<Backend, 'pushed'> | null = null,
): PushSources {
  const opened = new Map<string, Opened>();

  function listSources(): readonly PushSource[] {
    return list().flatMap(({ name: tenant, config, status }) => {
      if (config === null) return [];
      const isOpen = status !== null && status.facts !== null;
      return Object.entries(config.sources).flatMap(([name, source]) => {
        const receiver = kindOf(source).findReceiver?.(source);
        if (receiver === undefined) return [];
        return [{ ...receiver, tenant, name, use: (how, work) => use({ tenant, isOpen, ...config }, how, work) }];
      });
    });
  }

  async function use<T>(
    { tenant, isOpen, state }: UsedTenant,
    how: 'read' | 'change',
    work: (store: PushStore | null) => Promise<T>,
  ): Promise<T> {
    if (backend === null) return work(isOpen ? open(state) : null);
    const file = backend.pushed(tenant, state);
    const here = (): Promise<T> => work(open(findPushedCopy(state) ?? state));
    if (how === 'change') return file.write(here);
    await file.refresh();
    return here();
  }

  function open(folder: string): PushStore | null {
    try {
      const { ino } = statSync(join(folder, 'state.db'));
      const known = opened.get(folder);
      if (known?.inode === ino) return known.store;
      // The file was replaced, so a write to the old file would be lost. A reader of an old copy may still finish with it.
      if (backend === null) known?.close();
      opened.delete(folder);
      const fresh: Opened = { ...openPushStore(folder), inode: ino };
      opened.set(folder, fresh);
      return fresh.store;
    } catch (error) {
      if (error instanceof SyncError || codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  return {
    find([first, second]) {
      const sources = listSources();
      const exact = sources.find(({ tenant, name }) => tenant === first && name === second);
      if (exact !== undefined) return { source: exact, used: 2 };
      const named = sources.filter(({ name }) => name === first);
      const [only] = named;
      return only === undefined || named.length > 1 ? null : { source: only, used: 1 };
    },
    proxies: () => listSources().map(({ trustedProxies }) => trustedProxies),
    close() {
      for (const { close } of opened.values()) close();
      opened.clear();
    },
  };
}

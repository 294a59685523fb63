import type { HookSettings } from '../../base/settings/hook.js';
import type { Registered } from './registry.js';

/** A source of a running tenant whose vendor signals changes. */
export interface HookSource extends HookSettings {
  readonly tenant: string;
  readonly name: string;
}

export interface HookSources {
  find(tenant: string, name: string): HookSource | null;
  /** The proxies that any of the sources trusts. Returns the same array until a proxy is added or removed. */
  proxies(): readonly string[];
}

export function createHookSources(list: () => readonly Pick<Registered, 'name' | 'config'>[]): HookSources {
  let proxies: readonly string[] = [];
  return {
    find(tenant, name) {
      const hooks = list().find((one) => one.name === tenant)?.config?.hooks ?? {};
      const hook = Object.hasOwn(hooks, name) ? hooks[name] : undefined;
      return hook === undefined ? null : { ...hook, tenant, name };
    },
    proxies() {
      const trusted = list().flatMap(({ config }) =>
        Object.values(config?.hooks ?? {}).map((one) => one.trustedProxies),
      );
      const all = [...new Set(trusted.flat())];
      if (all.join() !== proxies.join()) proxies = all;
      return proxies;
    },
  };
}

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createLogger } from '../../../src/base/logger.js';
import { Registry } from '../../../src/daemon/tenants/registry.js';
import type { Tenant } from '../../../src/daemon/tenants/tenant.js';
import { catchError, makeFolder } from '../../samples.js';

const POLL_MS = 2_000;

/** A folder of configurations, a clock that is moved by hand, and tenants that note each change. */
function openRegistry() {
  const folder = makeFolder();
  const env: NodeJS.ProcessEnv = { TALENT_API_KEY: 'admin-key' };
  const log: { readonly msg: string; readonly tenant: string; readonly code?: string }[] = [];
  const retired: string[] = [];
  const fresh = new Map<string, () => unknown>();
  let nowMs = Date.UTC(2026, 5, 1);
  const registry = new Registry({
    target: folder,
    env,
    clock: { now: () => nowMs, sleep: async () => undefined },
    logger: createLogger('info', { write: (line) => void log.push(JSON.parse(line)) }),
    watcher: { onReload: () => undefined },
    createTenant(name, config, freshConfig) {
      fresh.set(name, () => ({ ...freshConfig().service, expires: config().plan.expiresMs }));
      const tenant = {
        retire: () => retired.push(name),
        remote: () => null,
        noteProblem: () => undefined,
        idle: async () => undefined,
        leave: () => undefined,
        status: () => ({ phase: 'idle' }),
      };
      return tenant as unknown as Tenant;
    },
  });
  return {
    ...{ folder, env, log, retired, fresh },
    write(name: string, patch: object = {}): void {
      const config = {
        service: { base_url: 'https://acme.example.com', api_key: { env: 'TALENT_API_KEY' } },
        state: join(folder, 'state', name),
        policy: 'upsert-only',
        schedule: { every: '*/15 * * * *' },
        sources: { hr: { type: 'csv', drop: folder, pattern: '*.csv', key: 'id', columns: { id: 'string' } } },
        users: {
          existence: 'hr',
          match: ['external_unique_id'],
          fields: {
            external_unique_id: 'record.id',
            email: 'record.id',
            name: 'record.id',
            office: { country: 'record.id', name: 'record.id' },
          },
        },
      };
      writeFileSync(join(folder, `${name}.yaml`), stringify({ ...config, ...patch }));
    },
    writeText: (file: string, text: string) => writeFileSync(join(folder, file), text),
    look: (taking: 'settled' | 'now' = 'settled') => registry.look(taking),
    advance: (ms: number) => {
      nowMs += ms;
    },
    /** Looks like the daemon does, until a change has settled. */
    settle() {
      for (let passed = 0; passed <= 3 * POLL_MS; passed += POLL_MS) {
        registry.look('settled');
        nowMs += POLL_MS;
      }
    },
    problems: () => registry.list().flatMap(({ problem }) => (problem === null ? [] : [problem.message])),
    /** `acme` is active. `acme: SYNC_CONFIG_INVALID` is rejected; with `, runs`, an earlier configuration is active. */
    told: () =>
      registry.list().map(({ name, problem, status }) => {
        const state = status === null ? '' : ', runs';
        if (problem !== null) return `${name}: ${problem.code}${state}`;
        return status === null ? `${name}: not yet` : name;
      }),
  };
}

function opened(...names: readonly string[]) {
  const desk = openRegistry();
  for (const name of names) desk.write(name);
  desk.look('now');
  return desk;
}

describe('the tenants of a folder', () => {
  test('come from one file each; hidden files and other file types are ignored', () => {
    const desk = openRegistry();
    for (const name of ['beta', 'acme', '.hidden']) desk.write(name);
    desk.writeText('notes.txt', 'no configuration');
    desk.look('now');
    expect(desk.told()).toEqual(['acme', 'beta']);
  });

  test('report a missing folder as an error of its own', () => {
    const desk = opened('acme');
    rmSync(desk.folder, { recursive: true });
    expect(catchError(() => desk.look()).code).toBe('SYNC_CONFIG_UNREADABLE');
  });

  const REFUSED: Readonly<
    Record<string, readonly [write: (desk: ReturnType<typeof openRegistry>) => void, told: string]>
  > = {
    'invalid YAML': [(desk) => desk.writeText('beta.yaml', 'service: ['), 'beta: SYNC_CONFIG_INVALID'],
    'a missing schedule': [(desk) => desk.write('beta', { schedule: {} }), 'beta: SYNC_CONFIG_INVALID'],
    'a missing secret': [
      (desk) =>
        desk.write('beta', { service: { base_url: 'https://acme.example.com', api_key: { env: 'NOT_THERE' } } }),
      'beta: SYNC_CONFIG_SECRET',
    ],
    'the state folder of another tenant': [
      (desk) => desk.write('beta', { state: join(desk.folder, 'state', 'acme') }),
      'beta: SYNC_CONFIG_INVALID',
    ],
    'the name of another tenant with the other file ending': [
      (desk) => desk.writeText('acme.yml', 'service: {}'),
      'acme.yml: SYNC_CONFIG_INVALID',
    ],
  };
  test.each(Object.entries(REFUSED))(
    '%s: rejects the tenant, logs it once, and runs the others',
    (_, [write, told]) => {
      const desk = openRegistry();
      desk.write('acme');
      write(desk);
      desk.look('now');
      for (let times = 0; times < 3; times++) desk.settle();
      expect(desk.told()).toEqual(['acme', told]);
      expect(desk.log.filter(({ msg }) => msg.startsWith('configuration rejected'))).toHaveLength(1);
    },
  );
});

test('names the tenant or file that already has the state folder or the name', () => {
  const desk = opened('acme');
  desk.write('beta', { state: join(desk.folder, 'state', 'acme') });
  desk.writeText('acme.yml', 'service: {}');
  desk.look('now');
  expect(desk.problems()).toEqual([
    expect.stringMatching(/tenant "acme": acme\.yaml and acme\.yml/),
    'The tenant "acme" has the same state folder.',
  ]);
});

describe('changed configurations', () => {
  test('count once they are unchanged for four seconds', () => {
    const desk = opened('acme');
    const expires = (): unknown => desk.fresh.get('acme')?.();
    desk.write('acme', { plan: { expires: '1h' } });
    desk.look();
    desk.advance(3_900);
    desk.write('acme', { plan: { expires: '2h' } });
    desk.look();
    desk.advance(3_900);
    desk.look();
    expect(expires()).not.toMatchObject({ expires: 7_200_000 });
    desk.advance(100);
    desk.look();
    expect(expires()).toMatchObject({ expires: 7_200_000 });
    // A reload by hand counts immediately.
    desk.write('acme', { plan: { expires: '3h' } });
    desk.look('now');
    expect(expires()).toMatchObject({ expires: 10_800_000 });
  });

  test('are read only if changed, even on a reload by hand', () => {
    const desk = opened('acme', 'beta', 'gamma');
    const before = desk.log.length;
    desk.write('beta', { plan: { expires: '2h' } });
    desk.look('now');
    desk.look('now');
    expect(desk.log.slice(before)).toMatchObject([{ tenant: 'beta', msg: 'configuration taken' }]);
  });

  test('have no effect if the edit is reverted within that time', () => {
    const desk = opened('acme');
    desk.write('acme', { plan: { expires: '1h' } });
    desk.look();
    desk.advance(POLL_MS);
    desk.write('acme');
    desk.look();
    desk.settle();
    expect(desk.log.filter(({ msg }) => msg === 'configuration taken')).toHaveLength(1);
  });

  test('leave the earlier one active if broken, and are reported again only for another error', () => {
    const desk = opened('acme');
    const refusals = (): number => desk.log.filter(({ msg }) => msg.includes('the earlier one stays active')).length;
    desk.writeText('acme.yaml', 'service: [');
    desk.settle();
    expect([desk.told(), refusals()]).toEqual([['acme: SYNC_CONFIG_INVALID, runs'], 1]);
    desk.write('acme', { policy: 'sometimes' });
    desk.settle();
    expect(refusals()).toBe(2);
    desk.write('acme');
    desk.settle();
    expect(desk.told()).toEqual(['acme']);
  });

  test('add a tenant for a new file and retire one for a deleted file, once settled', () => {
    const desk = opened('acme', 'beta');
    desk.write('gamma');
    rmSync(join(desk.folder, 'beta.yaml'));
    desk.look();
    expect([desk.told(), desk.retired]).toEqual([['acme', 'beta', 'gamma: not yet'], []]);
    desk.settle();
    expect([desk.told(), desk.retired]).toEqual([['acme', 'gamma'], ['beta']]);
  });

  test('retire nobody if a file is replaced by deleting and writing it', () => {
    const desk = opened('acme');
    rmSync(join(desk.folder, 'acme.yaml'));
    desk.look();
    desk.write('acme');
    desk.settle();
    expect([desk.told(), desk.retired]).toEqual([['acme'], []]);
  });
});

describe('secrets', () => {
  test('are looked for every minute until they are mounted, even if the file is unchanged', () => {
    const desk = openRegistry();
    delete desk.env.TALENT_API_KEY;
    desk.write('acme');
    desk.look('now');
    desk.env.TALENT_API_KEY = 'admin-key';
    desk.advance(59_000);
    desk.look();
    expect(desk.told()).toEqual(['acme: SYNC_CONFIG_SECRET']);
    desk.advance(1_000);
    desk.look();
    expect(desk.told()).toEqual(['acme']);
  });

  test('are read again for each run; if that fails, the known ones stay and the log says so', () => {
    const desk = opened('acme');
    const before = JSON.stringify(desk.fresh.get('acme')?.());
    delete desk.env.TALENT_API_KEY;
    expect(JSON.stringify(desk.fresh.get('acme')?.())).toBe(before);
    expect(desk.log.at(-1)).toMatchObject({
      msg: 'secrets could not be read again: the known ones stay active',
      code: 'SYNC_CONFIG_SECRET',
    });
  });

  test('are read again from the active configuration if the file is broken meanwhile', () => {
    const desk = opened('acme');
    desk.writeText('acme.yaml', 'service: [');
    desk.settle();
    const told = desk.log.length;
    desk.fresh.get('acme')?.();
    expect(desk.log).toHaveLength(told);
  });
});

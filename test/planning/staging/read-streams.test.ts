import { expect, it } from 'vitest';
import type { Connector, TakeBatch } from '../../../src/connectors/connector.js';
import { readStreams, type StreamUse } from '../../../src/planning/staging/read-streams.js';
import { evidenceOf } from '../../samples.js';

type Script = (take: TakeBatch) => Promise<void>;

/** Connectors that log the order in which they begin and end. */
function openStreams(scripts: Readonly<Record<string, Script>>) {
  const log: string[] = [];
  const connectors = new Map(
    Object.entries(scripts).map(([name, script]) => {
      const read = async (take: TakeBatch) => {
        log.push(`${name} begins`);
        await script(take);
        log.push(`${name} ends`);
        return evidenceOf({ source: name });
      };
      return [name, { name, read } as unknown as Connector] as const;
    }),
  );
  return { log, connectors };
}

const idle: Script = () => new Promise((resolve) => setImmediate(resolve));
const use = (stream: string, more: Partial<StreamUse> = {}): StreamUse => {
  return { stream, needs: [], follows: [], take: () => undefined, ...more };
};

it('reads a stream with three uses once, and gives each batch to all of them before the next one', async () => {
  const batch = { records: [], rejected: [] };
  const taken: string[] = [];
  const { log, connectors } = openStreams({
    hr: async (take) => {
      for (const _ of [1, 2]) take(batch);
    },
  });
  const uses = ['a', 'b', 'c'].map((who) => use('hr', { take: () => void taken.push(who) }));
  const reads = await readStreams(uses, connectors, undefined);
  expect(log).toEqual(['hr begins', 'hr ends']);
  expect(taken).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  expect([...reads].map(([name, { error }]) => [name, error])).toEqual([['hr', null]]);
});

it('reads the streams that a use needs first, in any order of uses, and the others in parallel', async () => {
  const { log, connectors } = openStreams({ hr: idle, idp: idle, crm: idle });
  await readStreams(
    [use('hr'), use('idp', { follows: ['hr'] }), use('hr', { needs: ['idp'] }), use('crm')],
    connectors,
    undefined,
  );
  expect(log.slice(0, 2).sort()).toEqual(['crm begins', 'idp begins']);
  expect(log.indexOf('hr begins')).toBeGreaterThan(log.indexOf('idp ends'));
});

it('reads each stream once even if the orders contradict each other', async () => {
  const { log, connectors } = openStreams({ a: idle, b: idle, c: idle });
  const uses = [use('b', { follows: ['a'] }), use('c', { follows: ['b'] }), use('a', { follows: ['c', 'a'] })];
  await readStreams(uses, connectors, undefined);
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

it('reports a failed stream to all its users, and reads those that waited for it', async () => {
  const { log, connectors } = openStreams({
    idp: () => Promise.reject(new Error('down')),
    hr: idle,
  });
  const ended: (string | undefined)[] = [];
  const end: StreamUse['end'] = ({ error }) => void ended.push(error?.message);
  const reads = await readStreams(
    [use('idp', { end }), use('idp', { end }), use('hr', { needs: ['idp'] })],
    connectors,
    undefined,
  );
  expect([ended, reads.get('idp')?.error?.message, reads.get('hr')?.error]).toEqual([['down', 'down'], 'down', null]);
  expect(log).toEqual(['idp begins', 'hr begins', 'hr ends']);
});

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, test } from 'vitest';
import { noteSecret } from '../../../src/base/secrets/secret.js';
import type { AskedRead } from '../../../src/daemon/assistant/assistant-reads.js';
import { createAssistantServer } from '../../../src/daemon/assistant/create-server.js';
import { closeAfterTest } from '../../closing.js';

/** A client of a server that returns the same document for every tenant. */
async function connect(tenants: readonly string[], document: unknown) {
  const asked: AskedRead[] = [];
  const server = createAssistantServer({
    tenants: async () => tenants.map((tenant) => ({ tenant, role: 'viewer', pseudonyms: false })),
    async read(one) {
      asked.push(one);
      return document;
    },
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(there), client.connect(here)]);
  closeAfterTest(client);
  return {
    asked,
    async ask(name: string, input: Record<string, unknown> = {}): Promise<string> {
      const { content } = await client.callTool({ name, arguments: input });
      return (content as readonly { readonly text: string }[]).map(({ text }) => text).join('');
    },
  };
}

test('escapes control characters and hidden characters of a record', async () => {
  const { ask } = await connect(['acme'], { title: '\u001b[2J\u202eevil\u{e0041}', '\u200bname': 1 });
  const text = await ask('status');
  expect(text).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(text).data).toEqual({ title: '\\u001b[2J\\u202eevil\\udb40\\udc41', '\\u200bname': 1 });
});

test('removes known secrets from answers', async () => {
  const secret = noteSecret('ts_a-token-that-nobody-may-see');
  const { ask } = await connect(['acme'], { reason: `key ${secret}` });
  expect(JSON.parse(await ask('status')).data).toEqual({ reason: 'key [secret]' });
});

test('reads the only tenant unless one is named, and never an unknown one', async () => {
  const one = await connect(['acme'], {});
  await one.ask('read_run', { run: 'r1' });
  expect(one.asked).toEqual([{ tool: 'read_run', tenant: 'acme', input: { run: 'r1' } }]);
  const two = await connect(['acme', 'globex'], {});
  expect(JSON.parse(await two.ask('status')).error).toMatchObject({ message: 'You may read 2 tenants.' });
  expect(JSON.parse(await two.ask('status', { tenant: 'initech' })).error).toMatchObject({ place: 'tenant' });
  expect(JSON.parse(await two.ask('status', { tenant: 'globex' })).tenant).toBe('globex');
  expect(two.asked.map(({ tenant }) => tenant)).toEqual(['globex']);
});

test('continues a long list where the answer says', async () => {
  const runs = Array.from({ length: 250 }, (_, i) => ({ id: `r${i}` }));
  const { ask } = await connect(['acme'], { runs });
  const seen: string[] = [];
  for (let skip = 0; seen.length < runs.length; ) {
    const { data, cut } = JSON.parse(await ask('list_runs', { last: 1_000, skip }));
    seen.push(...data.runs.map(({ id }: { readonly id: string }) => id));
    skip = Number(/skip: (\d+)/.exec(cut[0].rest)?.[1] ?? Number.NaN);
  }
  expect(seen).toEqual(runs.map(({ id }) => id));
});

test('rejects invalid inputs without reading', async () => {
  const { ask, asked } = await connect(['acme'], {});
  expect(await ask('list_runs', { last: -1 })).toContain('last');
  expect(await ask('find_people', { entity: 'secrets', words: 'x' })).toContain('entity');
  expect(asked).toEqual([]);
});

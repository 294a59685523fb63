import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { HOOK_FORMS } from '../../../../src/model/hook-forms.js';
import { sweep } from '../../../depth.js';
import { openHookDesk } from './hook-desk.js';
import { NOW_S, RIGHT, SECRET, signGeneric } from './signatures.js';

const PATH = '/hooks/acme/generic';

describe('a hook', () => {
  it.each(HOOK_FORMS)('in the form %s is answered with 200 and signals its source', async (form) => {
    const desk = await openHookDesk([form], { url: 'https://sync.example.com/hooks/acme/crm' });
    const answer = await desk.send(`/hooks/acme/${form}`, RIGHT[form]);
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(desk.take()).toEqual([{ tenant: 'acme', source: form }]);
    expect(desk.events.map(({ source, result }) => [source, result])).toEqual([
      [{ tenant: 'acme', name: form }, 'accepted'],
    ]);
  });

  it('from HubSpot is verified for the requested address, unless another one is configured', async () => {
    const asked = await openHookDesk(['hubspot']);
    expect((await asked.send('/hooks/acme/hubspot', RIGHT.hubspot)).status).toBe(403);
    const configured = await openHookDesk(['hubspot'], { url: 'https://sync.example.com/hooks/acme/crm' });
    expect((await configured.send('/hooks/acme/hubspot', RIGHT.hubspot)).status).toBe(200);
    expect((await configured.send('/hooks/acme/hubspot?more=1', RIGHT.hubspot)).status).toBe(403);
  });

  it('in chunks, without a length, is accepted', async () => {
    const desk = await openHookDesk(['generic']);
    const socket = desk.dial();
    const { headers, body } = signGeneric('{"changed":true}');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\n${lines.join('')}Transfer-Encoding: chunked\r\n\r\n`);
    for (const sign of body) socket.write(`1\r\n${sign}\r\n`);
    socket.write('0\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(desk.take()).toHaveLength(1);
  });

  it('is asked to retry later while the configurations are loading', async () => {
    const desk = await openHookDesk([], { isStarting: () => true });
    expect(await desk.send(PATH, signGeneric('{}'))).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
  });

  it('that cannot be passed on is answered with 500, and reported without its content', async () => {
    const signals = {
      signal: () => {
        throw new Error('no room');
      },
    };
    const desk = await openHookDesk(['generic'], { signals });
    expect((await desk.send(PATH, signGeneric('{"name":"Jane"}'))).status).toBe(500);
    expect(desk.events).toMatchObject([{ result: 'failed', error: new Error('no room') }]);
    expect(JSON.stringify(desk.events)).not.toContain('Jane');
  });
});

const LARGE = 'x'.repeat(256 * 1024 + 1);
const ONCE = signGeneric('{}', NOW_S, 'msg_once');

/** Requests that must look the same from outside, each with how it is counted. */
const WRONG = [
  ['a forged signature', PATH, signGeneric('{}', NOW_S, 'msg_1', 'guess'), 'forged'],
  ['no signature', PATH, { body: '{}' }, 'forged'],
  ['a time in the past', PATH, signGeneric('{}', NOW_S - 301), 'stale'],
  ['a time in the future', PATH, signGeneric('{}', NOW_S + 301), 'stale'],
  ['a repeated request', PATH, ONCE, 'repeated'],
  ['a body that is too large', PATH, signGeneric(LARGE), 'too_large'],
  ['an unknown source', '/hooks/acme/nothing', signGeneric('{}'), 'forged'],
  ['an unknown tenant', '/hooks/nobody/generic', signGeneric('{}'), 'forged'],
  ['a large body to an unknown source', '/hooks/nobody/generic', signGeneric(LARGE), 'too_large'],
  ['no source', '/hooks/acme', signGeneric('{}'), 'forged'],
  ['a longer path than a source', '/hooks/acme/generic/more', signGeneric('{}'), 'forged'],
  ['an empty source', '/hooks/acme/', signGeneric('{}'), 'forged'],
  ['a source named like the prototype', '/hooks/acme/__proto__', signGeneric('{}'), 'forged'],
  ['an address that is not valid text', '/hooks/%ff/%00', signGeneric('{}'), 'forged'],
  ['an encoded slash', '/hooks/acme%2fgeneric', signGeneric('{}'), 'forged'],
] as const;

describe('an invalid hook', () => {
  it('is answered like all others, is counted, and starts nothing', async () => {
    const desk = await openHookDesk(['generic']);
    expect((await desk.send(PATH, ONCE)).status).toBe(200);
    desk.take();
    const answers = [];
    for (const [, path, request] of WRONG) answers.push(await desk.send(path, request));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 403, text: '' });
    expect(desk.events.slice(1).map(({ result }) => result)).toEqual(WRONG.map(([, , , result]) => result));
    expect(desk.take()).toEqual([]);
  });

  it('adds no metric label from its content', async () => {
    const desk = await openHookDesk(['generic']);
    for (const [, path, request] of WRONG) await desk.send(path, request);
    const named = new Set(desk.events.map(({ source }) => JSON.stringify(source)));
    expect(named).toEqual(new Set(['null', '{"tenant":"acme","name":"generic"}']));
  });

  it('is limited per address, while valid ones from there succeed', async () => {
    const desk = await openHookDesk(['generic']);
    const wrong = Array.from({ length: 40 }, () => desk.send(PATH, { body: '{}' }, { from: '203.0.113.9' }));
    const right = await desk.send(PATH, signGeneric('{}'), { from: '203.0.113.9' });
    expect(right.status).toBe(200);
    const statuses = (await Promise.all(wrong)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([403, 429]));
    expect(desk.events.filter(({ result }) => result === 'flooding').length).toBeGreaterThan(15);
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])('includes the method %s', async (method) => {
    const desk = await openHookDesk(['generic']);
    const answer = await desk.send(PATH, signGeneric(''), { method });
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(desk.take()).toEqual([]);
  });
});

describe('handshakes', () => {
  const TOKEN = 'Validation: Testing <b>client</b> & Request-Id: 1+1';

  it.each(['/hooks/acme/graph', '/hooks/nobody/graph'])("returns Graph's token as text: %s", async (path) => {
    const desk = await openHookDesk(['graph']);
    const answer = await desk.send(`${path}?${new URLSearchParams({ validationToken: TOKEN })}`, {});
    expect(answer).toMatchObject({ status: 200, text: TOKEN });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect([desk.take(), desk.events[0]?.result]).toEqual([[], 'ping']);
  });

  it.each(['Ping test', '"Ping test"', '{"text":"Ping test"}', ' {"text": "Ping test"}\n'])(
    "answers HiBob's %s with 200 on any address, and starts nothing",
    async (body) => {
      const desk = await openHookDesk(['hibob']);
      const answers = [await desk.send('/hooks/acme/hibob', { body }), await desk.send('/hooks/nobody/x', { body })];
      expect(answers.map(({ status, text }) => [status, text])).toEqual([
        [200, ''],
        [200, ''],
      ]);
      expect(desk.take()).toEqual([]);
    },
  );

  it('rejects a ping with additional content', async () => {
    const desk = await openHookDesk(['hibob']);
    expect((await desk.send('/hooks/acme/hibob', { body: '{"text":"Ping test","x":1}' })).status).toBe(403);
  });
});

describe('many hooks', () => {
  sweep('accepts a thousand valid ones one by one', async () => {
    const desk = await openHookDesk(['generic']);
    const statuses = new Set<number>();
    for (let index = 0; index < 1_000; index += 20) {
      const some = Array.from({ length: 20 }, (_, at) => signGeneric('{}', NOW_S, `msg_${index + at}`));
      const answers = await Promise.all(some.map((one) => desk.send(PATH, one, { from: '198.51.100.7' })));
      for (const { status } of answers) statuses.add(status);
    }
    expect([...statuses]).toEqual([200]);
    expect(desk.events.filter(({ result }) => result === 'accepted')).toHaveLength(1_000);
    expect(desk.take()).toEqual([{ tenant: 'acme', source: 'generic' }]);
  });

  it('keeps nothing of a sender that disconnects during a body', async () => {
    const desk = await openHookDesk(['generic']);
    for (let index = 0; index < 50; index++) {
      const socket = desk.dial();
      socket.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 262144\r\n\r\n{`, () => socket.destroy());
      await once(socket, 'close');
    }
    expect((await desk.send(PATH, signGeneric('{}'), { from: '127.0.0.1' })).status).toBe(200);
  });

  it('asks for the body if the sender waits for that', async () => {
    const desk = await openHookDesk(['generic']);
    const { headers, body } = signGeneric('{}');
    const answer = await desk.send(PATH, { headers: { ...headers, expect: '100-continue' }, body });
    expect(answer.status).toBe(200);
  });

  sweep('cuts off stalled bodies, and still accepts other hooks', { timeout: 30_000 }, async () => {
    const desk = await openHookDesk(['generic']);
    const stalled = Array.from({ length: 40 }, (_, index) => {
      const socket = desk.dial();
      socket.write(
        `POST ${index < 2 ? PATH : '/hooks/nobody/x'} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\nContent-Length: 262144\r\n\r\n{`,
      );
      socket.resume();
      return once(socket, 'close');
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await desk.send(PATH, signGeneric('{}'), { from: '198.51.100.7' })).status).toBe(200);
    await Promise.all(stalled);
    const ends = new Set(desk.events.map(({ source, result }) => `${source?.name ?? 'none'} ${result}`));
    const expected = ['generic accepted', 'generic unfinished', 'none unfinished', 'none flooding'];
    expect(ends).toEqual(new Set(expected));
    expect(desk.events).toHaveLength(41);
  });
});

describe('the report about a hook', () => {
  it.each(HOOK_FORMS)('contains no secret: %s', async (form) => {
    const desk = await openHookDesk([form]);
    await desk.send(`/hooks/acme/${form}?secret=${SECRET}`, RIGHT[form]);
    expect(desk.events).toHaveLength(1);
    expect(JSON.stringify(desk.events)).not.toContain(SECRET);
  });
});

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServiceFile } from '../../src/service/service-file.js';
import { createTalentService, type TalentService } from '../../src/service/talent-service.js';
import { createInstantClock } from './instant-clock.js';
import { SENDERS, type Sender } from './senders.js';

const cv = { userId: 'u1', cvId: 'v1' };
const form = { language: 'en', filetype: 'pdf' } as const;

let server: Server;
let respond: (response: ServerResponse, call: number) => void;
let calls: number;
let service: TalentService;

function openService(timeoutMs: number, sender: Sender['options']): TalentService {
  return createTalentService({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'secret-key',
    rateLimit: { requestsPerSecond: null, perMinute: null, concurrency: 1 },
    timeoutMs,
    clock: createInstantClock(),
    ...sender,
  });
}

beforeEach(async () => {
  calls = 0;
  server = createServer((request, response) => {
    request.resume();
    request.on('end', () => respond(response, ++calls));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await service.close();
});

async function readAll(file: ServiceFile): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe.each(SENDERS)('a document, by $by', ({ options }) => {
  beforeEach(() => {
    service = openService(5_000, options);
  });

  it('returns the sent bytes, with type, name and length', async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 31) % 256));
    respond = (response) => {
      response.writeHead(200, {
        'content-type': 'application/pdf',
        'content-length': bytes.length,
        'content-disposition': `attachment; filename="cv.pdf"; filename*=UTF-8''${encodeURIComponent('Åse Berg.pdf')}`,
      });
      response.end(bytes);
    };
    const file = await service.reader.documents.downloadCv(cv, form);
    expect(file).toMatchObject({ contentType: 'application/pdf', fileName: 'Åse Berg.pdf', length: 200_000 });
    expect((await readAll(file)).equals(bytes)).toBe(true);
  });

  it('is available before it is complete', async () => {
    let finish = (): void => undefined;
    respond = (response) => {
      response.writeHead(200, { 'content-disposition': 'attachment; filename=cv.pdf' });
      response.write('first');
      finish = () => void response.end('last');
    };
    const file = await service.reader.documents.downloadCv(cv, form);
    expect(file).toMatchObject({ contentType: null, fileName: 'cv.pdf', length: null });
    const seen: string[] = [];
    for await (const chunk of file.bytes) {
      seen.push(Buffer.from(chunk).toString());
      finish();
    }
    expect(seen.join('')).toBe('firstlast');
  });

  it('reports an error if it breaks off', async () => {
    respond = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
    };
    const file = await service.reader.documents.downloadCv(cv, form);
    await expect(readAll(file)).rejects.toMatchObject({ code: 'SYNC_SERVICE_DOWN', fault: 'network', retry: 'safe' });
  });

  it('gives up if no more bytes arrive', async () => {
    const hasty = openService(100, options);
    respond = (response) => void response.writeHead(200).write('half');
    const file = await hasty.reader.documents.downloadCv(cv, form);
    await expect(readAll(file)).rejects.toMatchObject({ message: 'No answer within 100 ms.' });
    await hasty.close();
  });

  it('does not give up while its reader pauses', async () => {
    const hasty = openService(100, options);
    respond = (response) => {
      response.writeHead(200).write('first');
      setTimeout(() => response.end('last'), 20);
    };
    const file = await hasty.reader.documents.downloadCv(cv, form);
    const seen: string[] = [];
    for await (const chunk of file.bytes) {
      seen.push(Buffer.from(chunk).toString());
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    expect(seen.join('')).toBe('firstlast');
    await hasty.close();
  });

  it('frees its socket when cancelled or left unread', async () => {
    respond = (response, call) => {
      if (call < 3) response.writeHead(200).write('x'.repeat(100_000));
      else response.end('third');
    };
    await (await service.reader.documents.downloadCv(cv, form)).cancel();
    const second = await service.reader.documents.downloadCv(cv, form);
    for await (const _ of second.bytes) break;
    const third = await service.reader.documents.downloadCv(cv, form);
    expect((await readAll(third)).toString()).toBe('third');
    expect(calls).toBe(3);
  });

  it('is requested again after a fault, but not after a rejection', async () => {
    respond = (response, call) => {
      if (call === 1) response.destroy();
      else if (call === 2) response.writeHead(503).end();
      else response.end('pdf');
    };
    const file = await service.reader.documents.downloadCv(cv, form);
    expect((await readAll(file)).toString()).toBe('pdf');
    expect(calls).toBe(3);
    respond = (response) => void response.writeHead(404, { 'x-request-id': 'r-4' }).end('{"error":"no such CV"}');
    await expect(service.reader.documents.downloadCv(cv, form)).rejects.toMatchObject({
      status: 404,
      requestId: 'r-4',
      words: 'no such CV',
      retry: 'never',
    });
    expect(calls).toBe(4);
  });

  it('is stopped by its signal, before and during the transfer', async () => {
    respond = (response) => void response.writeHead(200).write('half');
    const controller = new AbortController();
    const file = await service.reader.documents.downloadCv(cv, { ...form, signal: controller.signal });
    const reading = readAll(file);
    setTimeout(() => controller.abort(), 20);
    await expect(reading).rejects.toMatchObject({ fault: 'stopped' });
    const late = service.reader.documents.downloadCv(cv, { ...form, signal: controller.signal });
    await expect(late).rejects.toMatchObject({ fault: 'stopped', outcome: 'not_sent' });
  });
});

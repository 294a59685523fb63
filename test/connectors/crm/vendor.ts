import { systemOf } from '../../../src/connectors/crm/systems.js';
import { createListedReader } from '../../../src/connectors/listed/listed-reader.js';
import { createListedWriter } from '../../../src/connectors/listed/listed-writer.js';
import { closeAfterTest } from '../../closing.js';
import { loadSample, SAMPLE } from '../../config/sample.js';
import { buildContext, NOW, readAll } from '../fixtures.js';
import type { VendorServer } from './imitations/vendor-server.js';

/** The time shared by a vendor and its reader; waiting advances it. */
export interface Time {
  now: number;
}

export const startTime = (): Time => ({ now: NOW });

const ENV = { TALENT_API_KEY: 'key', IDP_TOKEN: 'token' };

/** Opens one configured stream of a preset, to be read repeatedly while time passes, and to be written to. */
export function openPreset(
  server: VendorServer,
  time: Time,
  crm: string,
  stream: string,
  secret: string,
  timeout = '60s',
) {
  closeAfterTest(server);
  const text = SAMPLE.replace(
    '\nusers:',
    `\n  crm: { type: crm, base_url: "${server.url}", timeout: ${timeout}, ${crm} }\nusers:`,
  );
  const source = loadSample(text, { ...ENV, CRM_SECRET: secret }).sources.crm;
  const config = source?.type === 'crm' ? source.streams[stream] : undefined;
  if (config === undefined || !('baseUrl' in config)) throw new Error(`no feed ${stream}`);
  const context = buildContext((ms) => {
    time.now += ms;
  });
  const clock = { ...context.clock, now: () => time.now };
  const connector = createListedReader(`crm.${stream}`, config, systemOf(config), { ...context, clock });
  const writer = createListedWriter(`crm.${stream}`, config, systemOf(config), { ...context, clock });
  closeAfterTest(connector);
  closeAfterTest(writer);
  return {
    connector,
    writer,
    config,
    slept: context.slept,
    async read() {
      const before = server.requests.length;
      const { records, rejected, batches, evidence } = await readAll(connector);
      return {
        records,
        names: new Map(records.map(({ key, cells }) => [key, cells.name])),
        rejected: rejected.map(({ reason }) => reason),
        gone: batches.flatMap(({ gone }) => gone ?? []).map(({ key }) => key),
        asked: server.requests.slice(before).map(({ method, path }) => `${method} ${path}`),
        complete: evidence.complete,
        because: evidence.incompleteBecause,
      };
    },
  };
}

export type Preset = ReturnType<typeof openPreset>;

import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import type { Connector } from '../../src/connectors/connector.js';
import { oneIn } from '../depth.js';
import { answerHonestly, IDS, openSource, PROVES_NO_ABSENCE, SOURCES, TOKEN } from '../hostile/every-source.js';
import { CALL_FAULTS, type CallFault, type Honest, PATIENCE_MS } from './call-faults.js';
import { openElsewhere, openExpired, openFaulty } from './fault-server.js';
import { expectKept } from './kept-table.js';

type Source = (typeof SOURCES)[number];

function be(request: IncomingMessage): Honest {
  const text = answerHonestly(request);
  const headers = { 'content-type': 'application/json', link: '</>; rel="first"' };
  return { status: text === null ? 404 : 200, headers, text: text ?? '{}' };
}

/**
 * `complete` · `short`: taken for complete, but is not · `incomplete`: read, and it proves nobody absent · `unusable`: the
 * run learns that the source is unusable.
 */
const VERDICTS = ['complete', 'short', 'incomplete', 'unusable'] as const;
type Verdict = (typeof VERDICTS)[number];

async function readAs(connector: Connector): Promise<Verdict> {
  const keys = new Set<string | null>();
  try {
    const { complete } = await connector.read(({ records, rejected }) => {
      for (const { key } of [...records, ...rejected]) keys.add(key);
    });
    if (!complete) return 'incomplete';
    return IDS.every((id) => keys.has(id)) ? 'complete' : 'short';
  } catch (error) {
    if (!(error instanceof SyncError)) throw error;
    expect(error).toMatchObject({ kind: expect.stringMatching(/^(unsafe|transient)$/), place: expect.any(String) });
    expect(`${error.message} ${error.place} ${error.remedy}`).not.toContain(TOKEN);
    return 'unusable';
  }
}

/** Reads once while the call of that number, and each repetition of it, meets the fault. */
async function runCell([, build]: Source, fault: CallFault, at: number, elsewhere: string, unreached: string) {
  let [met, calls]: [string | null, number] = [null, 0];
  const meets = ({ url = '' }: IncomingMessage): boolean => {
    if (calls++ === at) met = url;
    return url === met;
  };
  const server = await openFaulty(fault, elsewhere, { be, meets });
  const url = fault.answer === null ? unreached : server.url;
  const connectors = await openSource(build, url, 'bearer', fault.isSlow === true ? `${PATIENCE_MS}ms` : '20s');
  const verdicts = await Promise.all(connectors.map(readAs));
  server.close();
  return { verdicts, calls };
}

const HONEST: CallFault = { name: 'none', stage: 'answer', answer: () => undefined };
/** Sources whose list may end early silently, and that state its length nowhere. */
const SILENT = /^crm, (next by|preset hubspot|preset dynamics)/;

test('handles every fault in every call that reads a source', async () => {
  const [elsewhere, expired] = [await openElsewhere(), await openExpired()];
  const sizes = new Map<Source, number>();
  for (const source of SOURCES) {
    const { verdicts, calls } = await runCell(source, HONEST, -1, elsewhere.url, '');
    expect(verdicts, source[0]).toContain(PROVES_NO_ABSENCE.has(source[0]) ? 'incomplete' : 'complete');
    sizes.set(source, calls);
  }
  const rows: (string | number)[][] = [];
  for (const fault of oneIn(6, CALL_FAULTS)) {
    const found: Verdict[] = [];
    const unreached = fault.name === 'unknown host' ? 'http://nowhere.invalid' : expired.url;
    for (const [source, size] of sizes) {
      for (let at = 0; at < (fault.answer === null ? 1 : size); at++) {
        const { verdicts } = await runCell(source, fault, at, elsewhere.url, unreached);
        found.push(...verdicts);
        const told = `${fault.name}, ${source[0]}, call ${at + 1}`;
        if (fault.stage === 'unsent') expect(verdicts, told).toEqual(verdicts.map(() => 'unusable'));
        if (verdicts.includes('short'))
          expect([fault.name, source[0]], told).toEqual(['short page', expect.stringMatching(SILENT)]);
      }
    }
    rows.push([fault.name, ...VERDICTS.map((verdict) => found.filter((one) => one === verdict).length)]);
  }
  expect(elsewhere.requests, 'a redirect was followed').toEqual([]);
  expect(expired.requests, 'a certificate that is over was accepted').toEqual([]);
  expectKept('source reads', ['fault', ...VERDICTS], rows);
});

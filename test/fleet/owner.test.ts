import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownerOf } from '../../src/daemon/tenants/fleet/owner-of.js';
import { startProgram } from '../daemon/daemon-process.js';
import { makeFolder } from '../samples.js';
import { openStory } from '../scenarios/kit.js';

test('`fleet owner` says which daemon has a tenant, and knows no others', async () => {
  const folder = makeFolder();
  const fleet = 'fleet: { daemons: 3, volume: ./volume, hand_over: ./hand-over, tenants: [acme, globex] }\n';
  writeFileSync(join(folder, 'daemon.yaml'), fleet);
  const story = await openStory();
  const ask = async (tenant: string): Promise<readonly [number | null, string]> => {
    const program = startProgram(story, ['fleet', 'owner', tenant, '--config', folder, '--json']);
    const { code } = await program.ended;
    return [code, program.stdout()];
  };
  for (const tenant of ['acme', 'globex']) {
    const [code, text] = await ask(tenant);
    expect([code, JSON.parse(text)]).toEqual([0, { tenant, daemon: ownerOf(tenant, 3), daemons: 3 }]);
  }
  expect(await ask('north')).toEqual([1, expect.stringContaining('The fleet has no tenant north.')]);
});

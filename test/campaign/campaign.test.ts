import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IS_THOROUGH } from '../depth.js';
import { type Campaign, runCampaign, tellBoth } from './campaign.js';
import { NOW } from './generate.js';
import type { History } from './history.js';

const { CAMPAIGN_SEED, CAMPAIGN_MINUTES, CAMPAIGN_STORY } = process.env;
const SEED = Number(CAMPAIGN_SEED ?? 1);
const MINUTES = CAMPAIGN_MINUTES === undefined ? null : Number(CAMPAIGN_MINUTES);
const HISTORIES = IS_THOROUGH ? 40 : 4;

function describeCampaign({ tally, failure }: Campaign): string {
  const counts = [...tally].map(([name, count]) => `${name}: ${count}`).join('\n');
  if (failure === null) return counts;
  return [
    counts,
    `seed ${failure.seed}, ${failure.broken.rule}: ${failure.broken.text}`,
    JSON.stringify(failure.history),
  ].join('\n\n');
}

test(
  'whatever happens to a company, its service and the calls between them: the same end, nothing twice, nothing untrue',
  async () => {
    if (CAMPAIGN_STORY !== undefined) {
      const history = JSON.parse(readFileSync(CAMPAIGN_STORY, 'utf8')) as History;
      expect(await tellBoth(history, new Map())).toBeNull();
      return;
    }
    const endsMs = Date.now() + (MINUTES ?? 0) * 60_000;
    const campaign = await runCampaign({
      seed: SEED,
      scope: NOW,
      goesOn: (histories) => (MINUTES === null ? histories < HISTORIES : Date.now() < endsMs),
      shrinkForMs: MINUTES === null ? 20_000 : 120_000,
    });
    if (MINUTES !== null) process.stdout.write(`${describeCampaign(campaign)}\n`);
    expect(campaign.failure, describeCampaign(campaign)).toBeNull();
  },
  (MINUTES ?? 10) * 60_000 + 400_000,
);

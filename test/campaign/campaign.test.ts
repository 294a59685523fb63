import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Campaign, runCampaign, tellBoth } from './campaign.js';
import { A_HUNDRED_DAYS, EVERYTHING } from './generate.js';
import type { History } from './history.js';

const { CAMPAIGN_SEED, CAMPAIGN_MINUTES, CAMPAIGN_STORY, CAMPAIGN_PATIENT, CAMPAIGN_COUNTS } = process.env;
const SEED = Number(CAMPAIGN_SEED ?? 1);
const MINUTES = CAMPAIGN_MINUTES === undefined ? null : Number(CAMPAIGN_MINUTES);
/** How long the test looks for the shortest story that breaks a rule. */
const SHRINK_MS = 300_000;
const HISTORIES = 30;

function describeCampaign({ tally, failures }: Campaign): string {
  const counts = [...tally].map(([name, count]) => `${name}: ${count}`).join('\n');
  const broken = failures.map(({ seed, broken, history }) => {
    const story = failures.length === 1 ? `\n${JSON.stringify(history)}` : '';
    return `seed ${seed}, ${broken.rule}: ${broken.text}${story}`;
  });
  return [counts, `failures: ${failures.length}`, ...broken].join('\n');
}

/** The counts for docs/engineering/reliability.md. */
function listCounts({ tally, failures }: Campaign): Readonly<Record<string, number>> {
  const { 'simulated hours': hours = 0, ...counts } = Object.fromEntries([...tally].toSorted());
  return { ...counts, 'simulated days': Math.round(hours / 24), failures: failures.length };
}

test(
  'reaches the same end for any events and faults, and does and reports nothing twice or falsely',
  async () => {
    if (CAMPAIGN_STORY !== undefined) {
      const history = JSON.parse(readFileSync(CAMPAIGN_STORY, 'utf8')) as History;
      expect(await tellBoth(history, new Map())).toBeNull();
      return;
    }
    const endsMs = Date.now() + (MINUTES ?? 0) * 60_000;
    const campaign = await runCampaign({
      seed: SEED,
      scope: MINUTES === null ? EVERYTHING : A_HUNDRED_DAYS,
      goesOn: (histories) => (MINUTES === null ? histories < HISTORIES : Date.now() < endsMs),
      shrinkForMs: MINUTES === null ? 0 : SHRINK_MS,
      isPatient: CAMPAIGN_PATIENT !== undefined,
    });
    if (CAMPAIGN_COUNTS !== undefined) writeFileSync(CAMPAIGN_COUNTS, JSON.stringify(listCounts(campaign)));
    if (MINUTES !== null) process.stdout.write(`${describeCampaign(campaign)}\n`);
    if (campaign.failures.length > 0) throw new Error(describeCampaign(campaign));
  },
  (MINUTES ?? 10) * 60_000 + SHRINK_MS + 400_000,
);

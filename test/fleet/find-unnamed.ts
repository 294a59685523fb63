import type { Node } from './node.js';

const CELLS = ['Last good run:', 'Next run:', 'Runs on:'];
const LAST_GOOD = 'tenant_last_good_age_seconds';
const GAUGES = ['tenant_next_slot_seconds', 'tenant_lag_seconds'];

/** Everything that a daemon does not show of a tenant: its name, holder, last good run, next slot and lag. */
export async function findUnnamed(node: Node, tenants: readonly string[]): Promise<readonly string[]> {
  const { text: list } = await node.read('/api/tenants');
  const { text: page } = await node.read('/');
  const { text: metrics } = await node.fetch('/metrics');
  const rows = page.split('<tr>');
  return tenants.flatMap((tenant) => {
    const row = rows.find((one) => one.includes(`href="/tenants/${tenant}"`)) ?? '';
    // A tenant whose only run was stopped has none.
    const hasGood = row.includes('data-name="Last good run:"><time>');
    const gauges = hasGood ? [...GAUGES, LAST_GOOD] : GAUGES;
    const said: readonly (readonly [what: string, isThere: boolean])[] = [
      ['the list', list.includes(`"tenant":"${tenant}"`)],
      ...CELLS.map((cell) => [`the page, ${cell}`, row.includes(`data-name="${cell}"`)] as const),
      ['the page, a time', row.includes('data-name="Next run:"><time>')],
      ...gauges.map((gauge) => [gauge, metrics.includes(`talent_sync_${gauge}{tenant="${tenant}"}`)] as const),
    ];
    return said.flatMap(([what, isThere]) => (isThere ? [] : [`${tenant}: ${what}`]));
  });
}

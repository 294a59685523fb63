import type { Cost } from '../../model/plan.js';
import type { Report } from './report.js';
import { type Block, blocksOf, code, type ReportSection, type TableColumn, type Text } from './section.js';
import { describeMails, formatSeconds, plural } from './words.js';

/** Calls by endpoint: the forecast and, for a run, the calls sent. */
export function listCost(
  { kind, plan, spent }: Pick<Report, 'kind' | 'plan' | 'spent'>,
  calls: ReadonlyMap<string, number>,
): ReportSection | null {
  const cost = plan?.cost ?? null;
  const endpoints = [...new Set([...Object.keys(cost?.by_endpoint ?? {}), ...calls.keys()])].sort();
  if (endpoints.length === 0 && spent === null) return null;
  const isRun = kind === 'run';
  const forecast = (endpoint: string): number => cost?.by_endpoint[endpoint] ?? 0;
  // Only calls for changes are recorded by endpoint, so other reads have no number.
  const sent = (endpoint: string): number | '' => calls.get(endpoint) ?? (endpoint.startsWith('GET ') ? '' : 0);
  const columns: readonly TableColumn[] = [
    { name: 'Endpoint' },
    ...(cost === null ? [] : [{ name: 'Forecast', isNumber: true }]),
    ...(isRun ? [{ name: 'Sent for changes', isNumber: true }] : []),
  ];
  const rows = endpoints.map((endpoint): readonly Text[] => [
    code(endpoint),
    ...(cost === null ? [] : [forecast(endpoint)]),
    ...(isRun ? [sent(endpoint)] : []),
  ]);
  const bars = endpoints.map((endpoint) => ({
    label: endpoint,
    parts: [{ name: 'calls', count: isRun ? sent(endpoint) || 0 : forecast(endpoint), tone: 'accent' as const }],
  }));
  const numbers: Block = {
    kind: 'pair',
    table: { kind: 'table', columns, rows },
    chart: {
      kind: 'chart',
      id: 'calls',
      title: isRun ? 'Calls sent for changes, by endpoint' : 'Calls needed to apply the plan, by endpoint',
      description: 'One bar per endpoint. The table has the numbers.',
      bars,
      hasLegend: false,
    },
  };
  return {
    id: 'cost',
    title: 'Calls and time',
    isAside: true,
    blocks: blocksOf({ kind: 'text', text: describeCost(cost, spent) }, endpoints.length === 0 ? null : numbers),
  };
}

function describeCost(cost: Cost | null, spent: Report['spent']): string {
  const words: string[] = [];
  if (spent !== null)
    words.push(
      `Sent ${plural(spent.writes, 'write')} and ${plural(spent.reads, 'read')} in ${formatSeconds(spent.seconds)}.`,
    );
  if (cost !== null)
    words.push(
      `Forecast for the changes: ${plural(cost.writes, 'write')} and ${plural(cost.reads, 'read')}, about ${formatSeconds(cost.seconds)}.${spent === null ? ' Reading both sides takes further calls.' : ''}`,
    );
  if (cost?.mails !== undefined)
    words.push(`${describeMails(cost.mails)} (\`notify_people\`); a sent e-mail cannot be recalled.`);
  return words.join(' ');
}

import { describe, expect, it } from 'vitest';
import { sweep } from '../depth.js';
import { lazily, renderChart, valuesOf } from './chart.js';
import { DOCUMENTED, namesIn } from './documented-metrics.js';
import { pick, readAt } from './manifest.js';
import { runPromtool } from './promtool.js';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly datasource: unknown;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string; readonly datasource: unknown }[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: unknown;
  readonly datasource?: unknown;
}

interface Dashboard {
  readonly uid: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

const metrics = { enabled: true, tokenSecret: { name: 'token' }, dashboard: { enabled: true } };
const map = lazily(() => pick(renderChart(valuesOf({}, { metrics })), 'ConfigMap'));
const readDashboard = lazily(() => {
  const { data } = map();
  const text = String(readAt(data, 'talent-sync.json') ?? (data as Record<string, string>)['talent-sync.json']);
  const dashboard = JSON.parse(text) as Dashboard;
  const targets = dashboard.panels.flatMap((panel) =>
    panel.targets.map((target) => ({ ...target, title: panel.title })),
  );
  return { dashboard, ...dashboard, targets };
});
/** Replaces the variables like Grafana. */
const filled = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', '.*').replaceAll('$tenant', '.*');

describe('the dashboard', () => {
  it('is found by the sidecar of Grafana', () => {
    expect(map().metadata).toMatchObject({ name: 'prod-talent-sync-dashboard', labels: { grafana_dashboard: '1' } });
    expect(JSON.stringify(map()).length).toBeLessThan(100_000);
  });

  it('has a version for Grafana 10 and later, and queries the chosen source', () => {
    const { dashboard, panels, targets, templating } = readDashboard();
    expect(dashboard).toMatchObject({ uid: 'talent-sync', schemaVersion: 39 });
    const [source, ...others] = templating.list;
    expect(source).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    const chosen = { type: 'prometheus', uid: '${' + 'datasource}' };
    for (const one of [...panels, ...targets, ...others]) expect(one.datasource).toEqual(chosen);
    expect(others.map(({ name }) => name)).toEqual(['namespace', 'tenant']);
  });

  sweep('has panels with descriptions that do not overlap', () => {
    const { panels } = readDashboard();
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ title, description }) => title === '' || description === '')).toEqual([]);
    const taken = new Set<string>();
    for (const { gridPos, title } of panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x},${y}`), title).toBe(false);
          expect(x, title).toBeLessThan(24);
          taken.add(`${x},${y}`);
        }
  });

  it('has valid Prometheus queries', () => {
    const { targets } = readDashboard();
    const rules = targets.map(({ expr }, index) => ({ record: `panel:${index}`, expr: filled(expr) }));
    expect(runPromtool('check', { groups: [{ name: 'panels', rules }] })).toContain(
      `SUCCESS: ${targets.length} rules found`,
    );
    expect(rules.filter(({ expr }) => expr.includes('$'))).toEqual([]);
  });

  it('queries documented metrics and labels of the chosen tenants', () => {
    for (const { expr, legendFormat, title } of readDashboard().targets) {
      const names = namesIn(expr);
      expect(
        names.filter((name) => !DOCUMENTED.has(name)),
        title,
      ).toEqual([]);
      const known = new Set(['namespace', 'le', ...names.flatMap((name) => DOCUMENTED.get(name) ?? [])]);
      const grouped = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? [];
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      const asked = [...expr.matchAll(/(\w+)=~?"/g)].map(([, label = '']) => label);
      expect(
        [...grouped, ...shown, ...asked].filter((label) => !known.has(label)),
        title,
      ).toEqual([]);
      expect(
        shown.filter((label) => !grouped.includes(label)),
        title,
      ).toEqual([]);
      // Histograms are over all tenants.
      const isOfTenants = names.every((name) => DOCUMENTED.get(name)?.includes('tenant'));
      const chosen = isOfTenants ? '{namespace=~"$namespace",tenant=~"$tenant"' : '{namespace=~"$namespace"}';
      expect(expr.split(chosen).length, title).toBe(expr.split('talent_sync_').length);
    }
  });

  it('shows waiting changes, runs, writes, freshness, errors and the rate limit', () => {
    const shown = readDashboard().targets.flatMap(({ expr }) => namesIn(expr));
    expect(shown).toEqual(
      expect.arrayContaining(
        ['waiting', 'runs_total', 'changes_total', 'told_records_total', 'last_good_run_age_seconds']
          .concat('source_complete_age_seconds', 'held_records', 'calls_total', 'limiter_requests_per_second')
          .map((name) => `talent_sync_${name}`),
      ),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { configText, readNotes, refuseChart, renderChart, type TenantValues, valuesOf } from './chart.js';
import { listKinds, pick, pickContainer, readAt } from './manifest.js';

const FROM = [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }];
const OPEN = { enabled: true, ingressFrom: FROM, ingress: { enabled: true, host: 'pages.example.com' } };
const WEB = 'web: { listen: "0.0.0.0:8090", state: /var/lib/talent-sync/web, public_url: "https://pages.example.com" }';

function configured(web: string): TenantValues {
  return { existingConfigMap: null, config: `${configText()}${web}\n` };
}

describe('the operator pages', () => {
  it('are not published by default', () => {
    const all = renderChart(valuesOf(configured(WEB)));
    expect(listKinds(all)).not.toEqual(expect.arrayContaining(['Ingress']));
    expect(listKinds(all)).not.toContain('Service');
    expect(pickContainer(all).ports).toHaveLength(1);
  });

  it('get their own port, a Service for it, and an Ingress with TLS for the entire host', () => {
    const all = renderChart(valuesOf({ ...configured(WEB), web: OPEN }));
    expect(pickContainer(all).ports).toContainEqual({ name: 'pages', containerPort: 8090, protocol: 'TCP' });
    expect(readAt(pick(all, 'Service'), 'spec.ports.1')).toEqual({
      ...{ name: 'pages', port: 8090, targetPort: 'pages', protocol: 'TCP' },
    });
    const ingress = pick(all, 'Ingress');
    const backend = { service: { name: 'prod-talent-sync-acme', port: { name: 'pages' } } };
    expect([ingress.metadata.name, ingress.spec]).toEqual([
      'prod-talent-sync-acme-pages',
      {
        tls: [{ hosts: ['pages.example.com'] }],
        rules: [{ host: 'pages.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }],
      },
    ]);
  });

  sweep('get an HTTPRoute of a Gateway in addition to the Ingress, or instead of it', () => {
    const parentRefs = [{ name: 'public', namespace: 'gateways' }];
    const route = { enabled: true, host: 'pages.example.com', parentRefs };
    const all = renderChart(valuesOf({ ...configured(WEB), web: { enabled: true, ingressFrom: FROM, route } }));
    expect(listKinds(all)).not.toContain('Ingress');
    const made = pick(all, 'HTTPRoute');
    expect([made.metadata.name, made.spec]).toEqual([
      'prod-talent-sync-acme-pages',
      {
        parentRefs,
        hostnames: ['pages.example.com'],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: '/' } }],
            backendRefs: [{ name: 'prod-talent-sync-acme', port: 8090 }],
          },
        ],
      },
    ]);
    const both = renderChart(valuesOf({ ...configured(WEB), web: { ...OPEN, route } }));
    expect(listKinds(both)).toEqual(expect.arrayContaining(['HTTPRoute', 'Ingress']));
    expect(refuseChart(valuesOf({ web: { ...OPEN, route: { ...route, parentRefs: [] } } }))).toContain('no Gateway');
    expect(refuseChart(valuesOf({ web: { ...OPEN, route: { ...route, host: '' } } }))).toContain('web.route.host');
  });

  it('allow access only to peers named for the pages', () => {
    const prometheus = [{ podSelector: {} }];
    const tenant = { web: OPEN, networkPolicy: { ingressFrom: prometheus } };
    expect(readAt(pick(renderChart(valuesOf(tenant)), 'NetworkPolicy'), 'spec.ingress')).toEqual([
      { from: prometheus, ports: [{ port: 8080, protocol: 'TCP' }] },
      { from: FROM, ports: [{ port: 8090, protocol: 'TCP' }] },
    ]);
    const nobody = renderChart(valuesOf({ web: { ...OPEN, ingressFrom: [] } }));
    expect(readAt(pick(nobody, 'NetworkPolicy'), 'spec.ingress')).toEqual([]);
  });

  sweep('have their own Ingress next to that of push sources', () => {
    const all = renderChart(valuesOf({ web: OPEN, scimIngress: { enabled: true, host: 'sync.example.com' } }));
    const names = all.filter(({ kind }) => kind === 'Ingress').map(({ metadata }) => metadata.name);
    expect(names).toEqual(['prod-talent-sync-acme', 'prod-talent-sync-acme-pages']);
  });

  it.each(
    oneIn(1, [
      ['a Job', { mode: 'cronjob', cronJob: { schedule: '@daily' }, web: OPEN }, 'only a daemon has pages'],
      ['no host', { web: { ...OPEN, ingress: { enabled: true } } }, 'web.ingress.host'],
      ['a configuration without web:', { ...configured(''), web: OPEN }, 'web.listen: (none)'],
      [
        'pages that listen on the loopback only',
        { ...configured(WEB.replace('0.0.0.0', '127.0.0.1')), web: OPEN },
        'web.listen: 127.0.0.1:8090',
      ],
      [
        'log-ins stored in the pod',
        { ...configured(WEB.replace('/var/lib/talent-sync/web', '/tmp')), web: OPEN },
        'web.state',
      ],
    ]),
  )('rejects %s', (_, tenant, message) => {
    expect(refuseChart(valuesOf(tenant))).toContain(message);
  });

  sweep('rejects one host for the pages of two tenants', () => {
    const tenants = ['a', 'b'].map((name) => ({ name, existingConfigMap: { name } }));
    expect(refuseChart(valuesOf({}, { tenants, web: OPEN }))).toContain(
      'web.ingress.host pages.example.com is that of tenant a',
    );
  });

  sweep('are mentioned in the notes if unreachable, or under another name', () => {
    const web = { ...OPEN, ingressFrom: [] };
    const notes = readNotes(valuesOf({ ...configured(WEB.replace('pages.', 'other.')), web }));
    expect(notes).toContain('blocks all access to the pages. Name the ingress controller in web.ingressFrom.');
    expect(notes).toContain('web.public_url in the configuration is https://other.example.com');
    expect(readNotes(valuesOf({ ...configured(WEB), web: OPEN }))).not.toContain('the pages');
  });
});

import { describe, expect, it } from 'vitest';
import { sweep } from '../depth.js';
import { renderChart, valuesOf } from './chart.js';
import { listKinds, type Manifest, pick, readAt } from './manifest.js';

const OPEN = { enabled: true, host: 'sync.example.com' };

function ingressOf(scimIngress: object): Manifest {
  return pick(renderChart(valuesOf({ scimIngress })), 'Ingress');
}

describe('the Ingress of push sources', () => {
  it('does not exist by default', () => {
    expect(listKinds(renderChart(valuesOf()))).not.toContain('Ingress');
    expect(listKinds(renderChart(valuesOf({ scimIngress: { ...OPEN, enabled: false } })))).not.toContain('Ingress');
  });

  it("publishes only its tenant's SCIM address, always with TLS, through a Service for the pod", () => {
    const all = renderChart(valuesOf({ scimIngress: OPEN }));
    const backend = { service: { name: 'prod-talent-sync-acme', port: { name: 'http' } } };
    expect(pick(all, 'Ingress').spec).toEqual({
      tls: [{ hosts: ['sync.example.com'] }],
      rules: [{ host: 'sync.example.com', http: { paths: [{ path: '/scim/v2/acme', pathType: 'Prefix', backend }] } }],
    });
    const service = pick(all, 'Service');
    expect([service.metadata.name, readAt(service, 'spec.ports.0.name')]).toEqual(['prod-talent-sync-acme', 'http']);
    expect(readAt(service, 'spec.selector')).toMatchObject({ 'talent-sync/tenant': 'acme' });
  });

  sweep('has the configured class, certificate and annotations', () => {
    const { metadata, spec } = ingressOf({ ...OPEN, className: 'nginx', tlsSecret: 'tls', annotations: { a: 'b' } });
    expect(metadata).toMatchObject({ annotations: { a: 'b' } });
    expect(spec).toMatchObject({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['sync.example.com'], secretName: 'tls' }],
    });
  });

  it('gives every tenant its own path on one host', () => {
    const tenants = ['a', 'b'].map((name) => ({ name, existingConfigMap: { name }, scimIngress: { enabled: true } }));
    const all = renderChart(valuesOf({}, { tenants, scimIngress: { host: 'sync.example.com' } }));
    const paths = all
      .filter(({ kind }) => kind === 'Ingress')
      .map((one) => [readAt(one, 'spec.rules.0.host'), readAt(one, 'spec.rules.0.http.paths.0.path')]);
    expect(paths).toEqual([
      ['sync.example.com', '/scim/v2/a'],
      ['sync.example.com', '/scim/v2/b'],
    ]);
  });
});

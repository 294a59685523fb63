import { describe, expect, it } from 'vitest';
import { createHookSources } from '../../../src/daemon/tenants/hook-sources.js';
import { ENV, loadSample, SAMPLE } from '../../config/sample.js';

function tenant(name: string, proxies: string) {
  const hook = `{ secret: { env: HOOK }, trusted_proxies: [${proxies}] }`;
  const text = SAMPLE.replace('  hr:\n', `  hr:\n    hook: ${hook}\n`);
  return { name, config: loadSample(text, { ...ENV, HOOK: 'first-secret' }) };
}

describe('sources with hooks', () => {
  const tenants = [
    tenant('acme', '10.0.0.0/8'),
    tenant('beta', '10.0.0.0/8, 192.0.2.1'),
    { name: 'gone', config: null },
  ];
  const sources = createHookSources(() => tenants);

  it('are found by tenant and name only', () => {
    expect(sources.find('acme', 'hr')).toMatchObject({ tenant: 'acme', name: 'hr', form: 'generic' });
    for (const [of, name] of [
      ['acme', 'idp'],
      ['acme', 'toString'],
      ['gone', 'hr'],
      ['nobody', 'hr'],
    ] as const)
      expect(sources.find(of, name)).toBeNull();
  });

  it('share one list of proxies, which keeps its identity until it changes', () => {
    expect(sources.proxies()).toEqual(['10.0.0.0/8', '192.0.2.1']);
    expect(sources.proxies()).toBe(sources.proxies());
    tenants.pop();
    tenants.pop();
    expect(sources.proxies()).toEqual(['10.0.0.0/8']);
  });
});

import { describe, expect, it } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { renderChart, valuesOf } from './chart.js';
import { checkTogether } from './check-manifest.js';
import { listKinds, type Manifest, pick, pickContainer, pickPod } from './manifest.js';

function volumeOf(all: readonly Manifest[], name: string): unknown {
  const { name: _, ...source } = pickPod(all).spec.volumes.find((one) => one.name === name) ?? { name };
  return source;
}

function mountOf(all: readonly Manifest[], name: string): unknown {
  return pickContainer(all).volumeMounts.find((one) => one.name === name);
}

describe('the state', () => {
  it('is on its own claim, which Helm keeps when it uninstalls', () => {
    const all = renderChart(valuesOf());
    const claim = pick(all, 'PersistentVolumeClaim');
    expect(claim.metadata).toMatchObject({ annotations: { 'helm.sh/resource-policy': 'keep' } });
    expect(claim.spec).toEqual({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } });
    expect(volumeOf(all, 'state')).toEqual({ persistentVolumeClaim: { claimName: claim.metadata.name } });
    expect(mountOf(all, 'state')).toEqual({ name: 'state', mountPath: '/var/lib/talent-sync' });
  });

  sweep('is deleted with the release if wanted', () => {
    const plain = pick(renderChart(valuesOf({ persistence: { keep: false } })), 'PersistentVolumeClaim');
    expect(plain.metadata).not.toHaveProperty('annotations');
    const noted = valuesOf({ persistence: { keep: false, annotations: { a: 'b' } } });
    expect(pick(renderChart(noted), 'PersistentVolumeClaim').metadata).toMatchObject({ annotations: { a: 'b' } });
  });

  it.each(
    oneIn(1, [
      ['', undefined],
      ['fast', 'fast'],
      ['-', ''],
    ]),
  )('has the storage class of %j', (storageClass, expected) => {
    const { spec } = pick(renderChart(valuesOf({ persistence: { storageClass } })), 'PersistentVolumeClaim');
    expect((spec as Record<string, unknown>).storageClassName).toBe(expected);
  });

  sweep('uses an existing claim instead of a new one', () => {
    const all = renderChart(valuesOf({ existingClaim: 'old-state' }));
    expect(listKinds(all)).not.toContain('PersistentVolumeClaim');
    expect(volumeOf(all, 'state')).toEqual({ persistentVolumeClaim: { claimName: 'old-state' } });
  });

  sweep('is deleted with the pod without persistence', () => {
    const all = renderChart(valuesOf({ persistence: { enabled: false, size: '3Gi' } }));
    expect(listKinds(all)).not.toContain('PersistentVolumeClaim');
    expect(volumeOf(all, 'state')).toEqual({ emptyDir: { sizeLimit: '3Gi' } });
  });

  sweep('keeps its claim when the tenant changes its mode', () => {
    const cronjob = renderChart(valuesOf({ mode: 'cronjob', cronJob: { schedule: '@daily' } }));
    const { labels, ...claim } = pick(cronjob, 'PersistentVolumeClaim').metadata;
    const { labels: others, ...daemons } = pick(renderChart(valuesOf()), 'PersistentVolumeClaim').metadata;
    expect(claim).toEqual(daemons);
  });
});

describe('the rest of the disk', () => {
  it('is read-only except for a limited /tmp, which SQLite uses', () => {
    const all = renderChart(valuesOf({ tmp: { sizeLimit: '3Gi' } }));
    expect(volumeOf(all, 'tmp')).toEqual({ emptyDir: { sizeLimit: '3Gi' } });
    expect(mountOf(all, 'tmp')).toEqual({ name: 'tmp', mountPath: '/tmp' });
    expect(pickContainer(all).env).toContainEqual({ name: 'SQLITE_TMPDIR', value: '/tmp' });
  });

  it('contains the mounted drops, read-only by default', () => {
    const drops = [
      { existingClaim: 'hr', mountPath: '/drop/hr', subPath: 'out' },
      { existingClaim: 'crm', mountPath: '/drop/crm', readOnly: false },
    ];
    const all = renderChart(valuesOf({ drops }));
    expect(volumeOf(all, 'drop-0')).toEqual({ persistentVolumeClaim: { claimName: 'hr', readOnly: true } });
    expect(mountOf(all, 'drop-0')).toEqual({ name: 'drop-0', mountPath: '/drop/hr', readOnly: true, subPath: 'out' });
    expect(volumeOf(all, 'drop-1')).toEqual({ persistentVolumeClaim: { claimName: 'crm', readOnly: false } });
    expect(mountOf(all, 'drop-1')).toEqual({ name: 'drop-1', mountPath: '/drop/crm', readOnly: false });
  });

  sweep("contains additional volumes in Kubernetes' notation", () => {
    const extra = { extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }] };
    const mounts = { extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/ca', readOnly: true }] };
    const all = renderChart(valuesOf({ ...extra, ...mounts }));
    expect(volumeOf(all, 'ca')).toEqual({ configMap: { name: 'ca' } });
    expect(mountOf(all, 'ca')).toEqual({ name: 'ca', mountPath: '/etc/ca', readOnly: true });
    expect(checkTogether(all)).toEqual([]);
  });
});

describe('secrets', () => {
  it('come from existing Secrets, as variables, or as files that the group may read', () => {
    const all = renderChart(
      valuesOf({ existingSecrets: [{ name: 'keys' }, { name: 'files', mountPath: '/run/secrets/acme' }] }),
    );
    expect(pickContainer(all).envFrom).toEqual([{ secretRef: { name: 'keys' } }]);
    expect(volumeOf(all, 'secret-1')).toEqual({ secret: { secretName: 'files', defaultMode: 0o440 } });
    expect(mountOf(all, 'secret-1')).toEqual({ name: 'secret-1', mountPath: '/run/secrets/acme', readOnly: true });
    expect(mountOf(all, 'secret-0')).toBeUndefined();
  });

  it('are absent by default', () => {
    expect(pickContainer(renderChart(valuesOf()))).not.toHaveProperty('envFrom');
  });
});

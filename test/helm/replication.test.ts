import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { oneIn, sweep } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { person } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';
import { lazily, renderChart, valuesOf } from './chart.js';
import { checkManifest, checkTogether } from './check-manifest.js';
import { dumpState, endWith, type Litestream, openLitestream, waitForCopy } from './litestream.js';
import { type Manifest, pick, pickPod, podOf, readAt } from './manifest.js';

const all = lazily(() => renderChart('replication-values.yaml'));
const settings = lazily(
  () => (pick(all(), 'ConfigMap', 'litestream').data as Record<string, string>)['litestream.yml'] ?? '',
);
const sidecar = lazily(() => pickPod(all(), 'prod-talent-sync-acme').spec.initContainers?.[0]);
const page = readFileSync(join(ROOT, 'docs', 'guides', 'backup-restore-upgrade.md'), 'utf8');
const job = parse(/```yaml file=restore\.yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '') as Manifest;
const pod = podOf(job)?.spec;
const RESTORE = pod?.initContainers?.[0]?.args ?? [];
const replicate = (litestream: Litestream) => litestream.replicate(sidecar()?.args ?? []);

function restoreWith(litestream: Litestream): () => string {
  return () => litestream.restore(RESTORE);
}

function findText(story: Story, text: string): readonly string[] {
  const folder = join(story.folder, 'var');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

describe('the replication of ci/replication-values.yaml', () => {
  sweep('survives the loss of its volume: finds work after the last copy, and does not repeat it', async () => {
    const story = await openStory();
    const litestream = openLitestream(story, settings());
    const child = replicate(litestream);
    story.deliver([person('E1'), person('E2')]);
    expect((await story.sync()).json.done).toBe(2);
    await waitForCopy(story, restoreWith(litestream));
    child.kill('SIGSTOP');
    story.deliver([person('E1', { title: 'Lead' }), person('E2'), person('E3')]);
    expect((await story.sync()).json.done).toBe(2);
    await endWith(child, 'SIGKILL');
    rmSync(join(story.folder, 'var'), { recursive: true });

    const restored = await story.type(...(pod?.containers[0].args.slice(0, 2) ?? []), litestream.restore(RESTORE));
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('2 links') });
    story.takeWrites();
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 0, failed: [], held: [] } });
    expect(story.takeWrites()).toEqual([]);
    expect((await story.status()).json.links.users).toBe(3);
    expect(story.users()).toHaveLength(3);
    expect((await story.verify()).json.ok).toBe(true);
  });

  sweep('loses nothing when stopped, because Litestream ends last and copies the rest', async () => {
    const story = await openStory();
    const litestream = openLitestream(story, settings(), '1h');
    const child = replicate(litestream);
    story.deliver([person('E1')]);
    await story.sync();
    await waitForCopy(story, restoreWith(litestream));
    story.deliver([person('E1'), person('E2')]);
    await story.sync();
    const state = dumpState(join(story.folder, 'var', 'state.db'));
    expect(dumpState(litestream.restore(RESTORE))).not.toBe(state);
    await endWith(child, 'SIGTERM');
    expect(dumpState(litestream.restore(RESTORE))).toBe(state);
  });

  sweep('continues copying after a restore, and after changes made meanwhile', async () => {
    const story = await openStory();
    const litestream = openLitestream(story, settings());
    const child = replicate(litestream);
    story.deliver([person('E1')]);
    await story.sync();
    const { file } = (await story.backup()).json;
    story.deliver([person('E1'), person('E2')]);
    await story.sync();
    expect((await story.restore(file)).code).toBe(0);
    await waitForCopy(story, restoreWith(litestream));
    await endWith(child, 'SIGTERM');
    story.deliver([person('E1'), person('E2'), person('E3')]);
    await story.sync();
    replicate(litestream);
    await waitForCopy(story, restoreWith(litestream));
  });

  sweep('loses an erased person by the steps on the page', async () => {
    const story = await openStory();
    const litestream = openLitestream(story, settings());
    const child = replicate(litestream);
    story.deliver([person('E1'), person('E7', { last: 'Quimby' })]);
    await story.sync();
    await waitForCopy(story, restoreWith(litestream));
    story.deliver([person('E1')]);
    const erased = await story.type('audit', 'erase', 'E7', '--reason', 'request 7', '--yes', '--json');
    expect(JSON.parse(erased.stdout)).toMatchObject({ erased: true, log_in_use: true });
    const warning = 'another process reads';
    expect((await story.sync()).stderr).toContain(warning);
    await endWith(child, 'SIGTERM');
    expect((await story.sync()).stderr).not.toContain(warning);

    const copies = findText(story, 'Quimby').filter((name) => !name.startsWith('mirror.db'));
    expect(copies.filter((name) => !name.startsWith('.state.db-litestream'))).toEqual([]);
    rmSync(join(story.folder, 'var', '.state.db-litestream'), { recursive: true });
    litestream.emptyBucket();
    replicate(litestream);
    await waitForCopy(story, restoreWith(litestream));
    expect(readFileSync(litestream.restore(RESTORE)).includes('Quimby')).toBe(false);
    expect(findText(story, 'Quimby').filter((name) => !name.startsWith('mirror.db'))).toEqual([]);
  });

  it.each(oneIn(1, ['acme', 'beta']))(
    'gives %s Litestream next to its worker, also in a Job, on the same volume and as the same user',
    (tenant) => {
      const { spec } = pickPod(all(), `prod-talent-sync-${tenant}`);
      expect(spec.containers).toHaveLength(1);
      expect(spec.initContainers).toMatchObject([{ name: 'litestream', restartPolicy: 'Always' }]);
      expect(spec.initContainers?.[0]?.volumeMounts).toContainEqual({
        name: 'state',
        mountPath: '/var/lib/talent-sync',
      });
      expect(spec.initContainers?.[0]?.securityContext).toEqual(spec.containers[0].securityContext);
    },
  );
});

describe('docs/guides/backup-restore-upgrade.md', () => {
  it('has a Job accepted by the API, whose containers have no more rights than the worker', () => {
    expect([...checkManifest(job), ...checkTogether([job])]).toEqual([]);
    const worker = pickPod(renderChart(valuesOf())).spec;
    const { fsGroupChangePolicy, ...security } = worker.securityContext as Record<string, unknown>;
    expect(pod?.securityContext).toEqual(security);
    for (const one of [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])])
      expect(one.securityContext).toEqual(worker.containers[0].securityContext);
  });

  it('names the objects of the chart, and the same settings', () => {
    const release = renderChart(
      valuesOf({ existingConfigMap: null, config: 'state: /var/lib/talent-sync\nschedule: { every: "0 * * * *" }\n' }),
      {
        release: 'talent-sync',
      },
    );
    const names = ['ConfigMap', 'PersistentVolumeClaim'].map((kind) => pick(release, kind).metadata.name);
    expect([readAt(pod, 'volumes.1.configMap.name'), readAt(pod, 'volumes.2.persistentVolumeClaim.claimName')]).toEqual(
      names,
    );
    const plain = parse(/```yaml file=litestream\.yml\n([\s\S]*?)```/.exec(page)?.[1] ?? '') as unknown;
    const { path, ...replica } = readAt(parse(settings()), 'dbs.0.replicas.0') as Record<string, unknown>;
    expect(readAt(plain, 'dbs.0.replicas.0')).toEqual({ ...replica, path: 'acme' });
    expect(path).toBe('${' + 'TENANT}');
    expect(RESTORE.at(-1)).toBe(readAt(parse(settings()), 'dbs.0.path'));
    expect(pod?.initContainers?.[0]?.image).toBe(sidecar()?.image);
  });
});

import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import { oneIn, sweep } from '../depth.js';
import { lazily, renderChart, valuesOf } from './chart.js';
import { pick, pickContainer, pickPod, podOf, readAt } from './manifest.js';

const CONFIG = '/etc/talent-sync/acme.yaml';
const HOURLY = { mode: 'cronjob', cronJob: { schedule: '0 * * * *', spread: '0' } };

/** The flags of a command in the real program, such as `--config`. */
function listFlags(command: string): readonly string[] {
  const { stdout, stderr } = process;
  const program = buildProgram({ stdout, stderr, env: {}, setExitCode: () => undefined, exit: () => undefined });
  const found = program.commands.find((one: Command) => one.name() === command);
  return (found?.options ?? []).map(({ long }) => long ?? '');
}

describe('a daemon', () => {
  const all = lazily(() => renderChart(valuesOf()));
  const deployment = lazily(() => pick(all(), 'Deployment'));
  const container = lazily(() => pickContainer(all()));

  it('is one pod, which stops before the new one starts', () => {
    expect(deployment().spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(readAt(deployment(), 'spec.strategy')).toEqual({ type: 'Recreate' });
    expect(pickPod(all()).spec.restartPolicy).toBe('Always');
  });

  it('starts with existing flags', () => {
    const listen = ['--host', '0.0.0.0', '--port', '8080'];
    expect(container().args).toEqual(['daemon', '--config', CONFIG, ...listen, '--grace', '25s']);
    expect(container()).not.toHaveProperty('command');
    expect(listFlags('daemon')).toEqual(expect.arrayContaining(['--config', '--host', '--port', '--grace']));
  });

  it('is probed for liveness and readiness on its own port', () => {
    expect(container().ports).toEqual([{ name: 'http', containerPort: 8080, protocol: 'TCP' }]);
    const probe = (path: string, periodSeconds: number, failureThreshold: number): object => ({
      httpGet: { path, port: 'http' },
      periodSeconds,
      timeoutSeconds: 5,
      failureThreshold,
    });
    expect(container().startupProbe).toEqual(probe('/livez', 5, 60));
    expect(container().livenessProbe).toEqual(probe('/livez', 10, 6));
    expect(container().readinessProbe).toEqual(probe('/readyz', 10, 3));
  });

  sweep.each(oneIn(1, [1, 25, 600]))('is killed ten seconds after its grace of %i s', (graceSeconds) => {
    const own = renderChart(valuesOf({ graceSeconds }));
    expect(pickContainer(own).args.at(-1)).toBe(`${graceSeconds}s`);
    expect(pickPod(own).spec.terminationGracePeriodSeconds).toBe(graceSeconds + 10);
  });

  sweep('has no pod while suspended, and keeps its volume', () => {
    const own = renderChart(valuesOf({ suspend: true }));
    expect(readAt(pick(own, 'Deployment'), 'spec.replicas')).toBe(0);
    expect(pick(own, 'PersistentVolumeClaim').metadata.name).toBe('prod-talent-sync-acme');
  });

  it('sees an edited configuration, because the folder is mounted, not a file', () => {
    const mount = container().volumeMounts.find(({ name }) => name === 'config');
    expect(mount).toEqual({ name: 'config', mountPath: '/etc/talent-sync', readOnly: true });
    expect(podOf(deployment())?.metadata).not.toHaveProperty('annotations');
  });

  it('restarts for its own reasons only, because pods carry no chart version', () => {
    expect(podOf(deployment())?.metadata.labels).toEqual({
      'app.kubernetes.io/name': 'talent-sync',
      'app.kubernetes.io/instance': 'prod',
      'app.kubernetes.io/component': 'daemon',
      'talent-sync/tenant': 'acme',
    });
  });
});

describe('a CronJob', () => {
  const all = lazily(() => renderChart(valuesOf(HOURLY)));
  const job = lazily(() => pick(all(), 'CronJob'));
  const container = lazily(() => pickContainer(all()));

  it('runs one Job at a time, and stops a hanging one', () => {
    const { jobTemplate, ...spec } = job().spec as Record<string, unknown>;
    expect(spec).toEqual({
      schedule: '0 * * * *',
      timeZone: 'Etc/UTC',
      suspend: false,
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: 600,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
    });
    expect(jobTemplate).toMatchObject({ spec: { backoffLimit: 2, activeDeadlineSeconds: 21600 } });
    expect(pickPod(all()).spec.restartPolicy).toBe('Never');
  });

  it('runs sync with existing flags, and accepts 3 and 4 as completed', () => {
    expect(container().args).toEqual(['sync', '--config', CONFIG, '--json', '--wait', '--complete-on', '3,4']);
    expect(listFlags('sync')).toEqual(expect.arrayContaining(['--config', '--json', '--wait', '--complete-on']));
  });

  sweep.each(
    oneIn(1, [
      [[3], ['--complete-on', '3']],
      [[], []],
    ]),
  )('accepts %j as completed if configured', (completeOn, flags) => {
    const own = renderChart(valuesOf({ ...HOURLY, cronJob: { schedule: '@daily', completeOn } }));
    expect(pickContainer(own).args).toEqual(['sync', '--config', CONFIG, '--json', '--wait', ...flags]);
  });

  it('does not count a pod of a drained node as a try, where Kubernetes reports it', () => {
    const path = 'spec.jobTemplate.spec.podFailurePolicy';
    const rule = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] };
    expect(readAt(job(), path)).toEqual({ rules: [rule] });
    const old = pick(renderChart(valuesOf(HOURLY), { kubeVersion: '1.25' }), 'CronJob');
    expect(readAt(old, path)).toBeUndefined();
  });

  it('does not listen', () => {
    expect(container()).not.toHaveProperty('ports');
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
      expect(container()).not.toHaveProperty(probe);
  });

  it('starts no Jobs while suspended', () => {
    const own = renderChart(valuesOf({ ...HOURLY, suspend: true }));
    expect(readAt(pick(own, 'CronJob'), 'spec.suspend')).toBe(true);
  });

  it('keeps large numbers unchanged', () => {
    const cronJob = { schedule: '0 * * * *', activeDeadlineSeconds: 2_000_000, startingDeadlineSeconds: 1_000_000 };
    const own = pick(renderChart(valuesOf({ mode: 'cronjob', cronJob })), 'CronJob');
    expect(readAt(own, 'spec.jobTemplate.spec.activeDeadlineSeconds')).toBe(2_000_000);
    expect(readAt(own, 'spec.startingDeadlineSeconds')).toBe(1_000_000);
  });
});

sweep.each(
  oneIn(1, [
    [{ repository: 'a/b' }, 'a/b:0.2.0'],
    [{ repository: 'a/b', tag: '2.0' }, 'a/b:2.0'],
    [{ repository: 'a/b', tag: '2.0', digest: `sha256:${'0'.repeat(64)}` }, `a/b@sha256:${'0'.repeat(64)}`],
  ]),
)('the image %j is %s', (image, expected) => {
  expect(pickContainer(renderChart(valuesOf({}, { image }))).image).toBe(expected);
});

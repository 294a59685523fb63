import { expect } from 'vitest';

/** An option, a value, and the resulting changes: `KIND PATH` with the new value, or undefined for a removed one. */
export type OptionRow = readonly [option: string, value: unknown, changes: Readonly<Record<string, unknown>>];

const PEERS = [{ podSelector: {} }];

/** Everything that the options below change. */
export const BACKEND = {
  enabled: true,
  urlSecret: { name: 'talent-db' },
  ca: { configMap: 'company-ca' },
  peers: PEERS,
  autoscaling: { enabled: true },
  prepare: { enabled: true, urlSecret: { name: 'owner' } },
};

const POD = 'Deployment spec.template.spec';
const JOB = 'Job spec.template.spec';
const POD_CA = `${POD}.volumes.2`;
const JOB_CA = `${JOB}.volumes.1`;
const CHECKSUM = { 'Deployment spec.template.metadata.annotations.checksum/daemon': expect.any(String) };
const URL = `${POD}.containers.0.env.2.valueFrom.secretKeyRef`;
const JOB_URL = `${JOB}.containers.0.env.0.valueFrom.secretKeyRef`;

export const OF_BACKENDS: readonly OptionRow[] = [
  ['backend.urlSecret.name', 'a', { [`${URL}.name`]: 'a' }],
  ['backend.urlSecret.key', 'a', { [`${URL}.key`]: 'a' }],
  ['backend.ca.configMap', 'a', { [`${POD_CA}.configMap.name`]: 'a', [`${JOB_CA}.configMap.name`]: 'a' }],
  ['backend.ca.key', 'a', { [`${POD_CA}.configMap.items.0.key`]: 'a', [`${JOB_CA}.configMap.items.0.key`]: 'a' }],
  ['backend.tls', 'off', { ...CHECKSUM, 'ConfigMap data.daemon.yaml': expect.stringContaining('tls: "off"') }],
  ['backend.port', 6432, { 'NetworkPolicy spec.egress.2.ports.0.port': 6432 }],
  ['backend.peers', [], { 'NetworkPolicy spec.egress.2.to': undefined }],
  ['backend.replicas', 2, { 'HorizontalPodAutoscaler spec.minReplicas': 2 }],
  ['backend.parallel', 9, { [`${POD}.containers.0.args.10`]: '9' }],
  ['backend.cacheSize', '1Gi', { [`${POD}.volumes.1.emptyDir.sizeLimit`]: '1Gi' }],
  ['backend.maxUnavailable', 2, { 'PodDisruptionBudget spec.maxUnavailable': 2 }],
  ['backend.autoscaling.enabled', false, { HorizontalPodAutoscaler: undefined, 'Deployment spec.replicas': 3 }],
  ['backend.autoscaling.maxReplicas', 9, { 'HorizontalPodAutoscaler spec.maxReplicas': 9 }],
  [
    'backend.autoscaling.cpuPercent',
    50,
    { 'HorizontalPodAutoscaler spec.metrics.0.resource.target.averageUtilization': 50 },
  ],
  [
    'backend.web',
    { listen: '127.0.0.1:8090' },
    { ...CHECKSUM, 'ConfigMap data.daemon.yaml': expect.stringContaining('listen: 127.0.0.1:8090') },
  ],
  ['backend.lateSeconds', 60, { 'PrometheusRule TalentSyncLate.expr': expect.stringMatching(/> 60$/) }],
  ['backend.prepare.enabled', false, { Job: undefined }],
  ['backend.prepare.urlSecret.name', 'a', { [`${JOB_URL}.name`]: 'a' }],
  ['backend.prepare.urlSecret.key', 'a', { [`${JOB_URL}.key`]: 'a' }],
];

import { PrometheusRule, ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2';
import { CronJob, Job } from 'kubernetes-models/batch/v1';
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, PersistentVolumeClaim, Pod, Service, ServiceAccount } from 'kubernetes-models/v1';
import { HttpRoute } from './http-route.js';
import { type Manifest, podOf } from './manifest.js';

interface Model {
  readonly apiVersion: string;
  readonly prototype: { validate(): void };
}

const MODELS: Readonly<Record<string, Model>> = {
  ConfigMap,
  CronJob,
  Deployment,
  HorizontalPodAutoscaler,
  HTTPRoute: HttpRoute,
  Ingress,
  Job,
  NetworkPolicy,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PrometheusRule,
  Service,
  ServiceAccount,
  ServiceMonitor,
};

/** Lists errors that the API server would report for an object: wrong or missing values, and unknown keys. */
export function checkManifest(manifest: Manifest): readonly string[] {
  const name = `${manifest.kind} ${manifest.metadata.name}`;
  const model = MODELS[manifest.kind];
  if (model === undefined) return [`${name}: no such kind in the chart`];
  if (model.apiVersion !== manifest.apiVersion) return [`${name}: ${manifest.apiVersion} is not ${model.apiVersion}`];
  const unread = new Set<string>();
  try {
    Reflect.apply(model.prototype.validate, watchReads(manifest, name, unread), []);
  } catch (error) {
    return [`${name}: ${error instanceof Error ? error.message : String(error)}`];
  }
  return [...unread].map((path) => `${path} is not known`);
}

/** The models accept unknown keys, but a validator reads each known key. A key that is never read is unknown. */
function watchReads(value: unknown, path: string, unread: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const inner = new Map<PropertyKey, unknown>();
  for (const [key, one] of Object.entries(value)) {
    unread.add(`${path}.${key}`);
    inner.set(key, watchReads(one, `${path}.${key}`, unread));
  }
  return new Proxy(value, {
    get(target, key, receiver) {
      unread.delete(`${path}.${String(key)}`);
      return inner.has(key) ? inner.get(key) : Reflect.get(target, key, receiver);
    },
  });
}

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Errors that only show when the objects of a release are checked together. */
export function checkTogether(all: readonly Manifest[]): readonly string[] {
  const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return [
    ...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} is there twice`),
    ...all.flatMap(checkName),
    ...all.flatMap((one) => checkPod(one, all)),
  ];
}

function checkName({ kind, metadata }: Manifest): readonly string[] {
  const { name, namespace, labels } = metadata;
  const longest = kind === 'CronJob' ? 52 : 63;
  return [
    ...(LABEL.test(name) && name.length <= longest ? [] : [`${kind} ${name} is no name`]),
    ...(kind === 'Service' && !/^[a-z]/.test(name) ? [`${kind} ${name} begins with a digit`] : []),
    ...(namespace === 'hr' ? [] : [`${kind} ${name} is in no namespace`]),
    ...Object.entries(labels ?? {})
      .filter(([, value]) => !/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/.test(value))
      .map(([key, value]) => `${kind} ${name} has the label ${key}: ${value}`),
  ];
}

/**
 * Checks that every mount has a volume, every volume of the chart an object, every path one mount, and every Secret a
 * name and key.
 */
function checkPod(manifest: Manifest, all: readonly Manifest[]): readonly string[] {
  const pod = podOf(manifest);
  if (pod === null) return [];
  const at = `${manifest.kind} ${manifest.metadata.name}`;
  const { volumes, containers, initContainers = [] } = pod.spec;
  const [{ volumeMounts, env = [] }] = containers;
  const known = volumes.map(({ name }) => name);
  const mounts = [...containers, ...initContainers].flatMap((one) => one.volumeMounts ?? []);
  const paths = volumeMounts.map(({ mountPath }) => mountPath);
  const variables = env.map(({ name }) => name);
  const own = (kind: string): readonly string[] =>
    all.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name);
  const sources = JSON.stringify(volumes);
  return [
    ...mounts.filter(({ name }) => !known.includes(name)).map(({ name }) => `${at}: no volume ${name}`),
    ...known.filter((name) => !mounts.some((mount) => mount.name === name)).map((name) => `${at}: idle ${name}`),
    ...paths.filter((path, index) => paths.indexOf(path) !== index).map((path) => `${at}: two mounts at ${path}`),
    ...variables.filter((name, index) => variables.indexOf(name) !== index).map((name) => `${at}: ${name} twice`),
    ...env
      .filter(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined)
      .filter(({ valueFrom }) => !valueFrom?.secretKeyRef?.name || !valueFrom.secretKeyRef.key)
      .map(({ name }) => `${at}: ${name} of no Secret`),
    ...['ConfigMap', 'PersistentVolumeClaim']
      .filter((kind) => own(kind).includes(manifest.metadata.name) && !sources.includes(`"${manifest.metadata.name}"`))
      .map((kind) => `${at}: its ${kind} is not mounted`),
  ];
}

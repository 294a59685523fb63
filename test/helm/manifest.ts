/** A rendered object. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly [key: string]: unknown;
}

export type Labels = Readonly<Record<string, string>>;

export interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly subPath?: string;
  readonly readOnly?: boolean;
}

export interface EnvVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name?: string; readonly key?: string } };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly EnvVariable[];
  readonly envFrom?: readonly unknown[];
  readonly volumeMounts: readonly Mount[];
  readonly [key: string]: unknown;
}

export interface PodSpec {
  readonly containers: readonly [Container, ...(readonly Container[])];
  readonly initContainers?: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly [source: string]: unknown }[];
  readonly [key: string]: unknown;
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
  readonly spec: PodSpec;
}

/** Returns the only object of this kind, or the one with this name if given. */
export function pick(all: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = all.filter((one) => one.kind === kind && (name === undefined || one.metadata.name === name));
  const [first] = found;
  if (first === undefined || found.length > 1) {
    const there = all.map((one) => `${one.kind} ${one.metadata.name}`).join(', ');
    throw new Error(`${found.length} objects of kind ${kind} ${name ?? ''}, of: ${there}`);
  }
  return first;
}

export function listKinds(all: readonly Manifest[]): readonly string[] {
  return all.map(({ kind }) => kind).toSorted();
}

/** Returns the value at a path like `spec.template.spec`; undefined if a step is missing. */
export function readAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((node, key) => {
    return typeof node === 'object' && node !== null ? (node as Readonly<Record<string, unknown>>)[key] : undefined;
  }, value);
}

/** The pod of an object, or the pod it starts; null for every other kind. */
export function podOf(manifest: Manifest): PodTemplate | null {
  if (manifest.kind === 'Pod') return manifest as unknown as PodTemplate;
  const path = { Deployment: 'spec.template', Job: 'spec.template', CronJob: 'spec.jobTemplate.spec.template' }[
    manifest.kind
  ];
  return path === undefined ? null : (readAt(manifest, path) as PodTemplate);
}

/** The pod of the only workload, or of the one with this name. */
export function pickPod(all: readonly Manifest[], name?: string): PodTemplate {
  const pods = all.flatMap((one) => {
    const pod = name === undefined || one.metadata.name === name ? podOf(one) : null;
    return pod === null ? [] : [pod];
  });
  const [first] = pods;
  if (first === undefined || pods.length > 1) throw new Error(`${pods.length} pods ${name ?? ''}`);
  return first;
}

export function pickContainer(all: readonly Manifest[], name?: string): Container {
  return pickPod(all, name).spec.containers[0];
}

import * as z from 'zod';

const name = z.string().regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
const port = z.int().min(1).max(65_535);
const texts = z.record(z.string(), z.string());
const path = z.strictObject({ type: z.literal('PathPrefix'), value: z.string().startsWith('/') });
const parent = z.strictObject({
  group: z.string().optional(),
  kind: z.string().optional(),
  namespace: name.optional(),
  name,
  sectionName: name.optional(),
  port: port.optional(),
});
const rule = z.strictObject({
  matches: z.array(z.strictObject({ path })),
  backendRefs: z.array(z.strictObject({ name, port })),
});

/**
 * The parts of an HTTPRoute that the chart may use, as defined by gateway.networking.k8s.io/v1. No package has a model
 * for Node.js 20.
 */
const schema = z.strictObject({
  apiVersion: z.literal('gateway.networking.k8s.io/v1'),
  kind: z.literal('HTTPRoute'),
  metadata: z.strictObject({ name, namespace: name, labels: texts, annotations: texts.optional() }),
  spec: z.strictObject({
    parentRefs: z.array(parent).min(1).max(32),
    hostnames: z.array(name).max(16),
    rules: z.array(rule).max(16),
  }),
});

export const HttpRoute = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  prototype: {
    validate(): void {
      schema.parse(this);
    },
  },
};

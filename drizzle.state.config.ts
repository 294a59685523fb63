import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: [
    './src/store/state/state-schema.ts',
    './src/store/state/outbox-schema.ts',
    './src/store/state/notify-schema.ts',
    './src/store/shared-texts-schema.ts',
  ],
  out: './migrations/state',
});

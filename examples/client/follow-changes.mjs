// Prints the people who changed since a timestamp, and the timestamp to continue from. Store that timestamp unchanged, because the
// service compares timestamps as text.
//
//   node examples/client/follow-changes.mjs 2026-11-01T00:00:00Z
import { createTalentService } from 'talent-sync/service';

const service = createTalentService({
  baseUrl: process.env.TALENT_BASE_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.TALENT_API_KEY ?? 'admin-key',
});

let [since = '2000-01-01T00:00:00Z'] = process.argv.slice(2);
for await (const { users, resumeFrom, overflow } of service.reader.users.readChanges({ since })) {
  for (const user of users) console.log(`${user.profile_updated_at}\t${user.email}`);
  since = resumeFrom;
  if (overflow) console.log('more changed in one second than can be read: read everybody instead');
}
console.log(`next: ${since}`);
await service.close();

// Lists everybody in an account, one line per person, with e-mail, name, office and status (active or deactivated).
//
//   TALENT_BASE_URL=https://acme.example.com TALENT_API_KEY=… node examples/client/list-users.mjs [name]
import { createTalentService } from 'talent-sync/service';

const service = createTalentService({
  baseUrl: process.env.TALENT_BASE_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.TALENT_API_KEY ?? 'admin-key',
});

const [name] = process.argv.slice(2);
for await (const { users } of service.reader.users.search({ name })) {
  for (const user of users) {
    console.log([user.email, user.name, user.office_name, user.deactivated ? 'deactivated' : 'active'].join('\t'));
  }
}
await service.close();

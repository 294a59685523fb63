// Lists people with a skill and, if given, a tag. Prints the name, the e-mail and the time when the CV last changed.
//
//   node examples/client/find-people.mjs TypeScript [internal id of a tag]
import { createTalentService, matchSkill, matchTag } from 'talent-sync/service';

const service = createTalentService({
  baseUrl: process.env.TALENT_BASE_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.TALENT_API_KEY ?? 'admin-key',
});

const [skill = 'TypeScript', tagId] = process.argv.slice(2);
const must = tagId === undefined ? [matchSkill(skill)] : [matchSkill(skill), matchTag(tagId)];
let found = 0;
for await (const { cvs } of service.reader.cvs.search({ must })) {
  for (const { cv } of cvs) {
    found += 1;
    console.log([cv.name, cv.email, cv.updated_at].join('\t'));
  }
}
console.log(`${found} people know ${skill}`);
await service.close();

const PAGE = 500;

/**
 * Reads the master CVs of all people through the service's interface, including leavers. Compares their project
 * experiences with all links that the drops have ever asked for. Each link must exist once as a hard link with its roles,
 * and no other links may exist. Returns the number of links, or the differences.
 */
export async function compareLinks(service, wanted) {
  const found = new Map();
  const wrong = [];
  for await (const { pair, isHard, roles } of listLinks(service)) {
    if (!isHard) wrong.push(`${pair} is not a hard link`);
    if (found.has(pair)) wrong.push(`${pair} is linked twice`);
    found.set(pair, roles);
  }
  wrong.push(...compare(found, wanted));
  const shown = wrong.slice(0, 3).join('; ');
  return wrong.length === 0 ? `${found.size} links, each once` : `${wrong.length} LINKS WRONG: ${shown}`;
}

async function* listLinks({ url, key }) {
  const get = async (path) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return answer.json();
  };
  for (let from = 0; ; from += PAGE) {
    const users = await get(`/api/v2/users/search?deactivated=true&from=${from}&size=${PAGE}`);
    for (const user of users) {
      const cv = await get(`/api/v3/cvs/${user.user_id}/${user.default_cv_id}?use_legacy_codes=false`);
      for (const experience of cv.project_experiences) {
        yield {
          pair: `${experience.reference_project?.external_unique_id}/${user.external_unique_id}`,
          isHard: experience.link_type === 'linked',
          roles: experience.roles.map(({ name }) => name.en.toLowerCase()).sort(),
        };
      }
    }
    if (users.length < PAGE) return;
  }
}

function compare(found, wanted) {
  const wrong = [];
  for (const [pair, roles] of wanted) {
    const there = found.get(pair);
    if (there === undefined) wrong.push(`${pair} is not linked`);
    else if (there.join() !== [...roles].sort().join()) wrong.push(`${pair} has the roles ${there.join(', ')}`);
  }
  for (const pair of found.keys()) if (!wanted.has(pair)) wrong.push(`${pair} is linked by mistake`);
  return wrong;
}

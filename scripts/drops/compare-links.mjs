const PAGE = 500;

/**
 * Reads everybody's master CV through the service's interface, of those who have left too, and holds its project
 * experiences against the links that the drops have ever asked for: each there, hard, once, with its roles, and no other.
 * Tells the number, or what differs.
 */
export async function compareLinks({ url, key }, wanted) {
  const get = async (path) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return answer.json();
  };
  const found = new Map();
  const wrong = [];
  for (let from = 0; ; from += PAGE) {
    const users = await get(`/api/v2/users/search?deactivated=true&from=${from}&size=${PAGE}`);
    for (const user of users) {
      const cv = await get(`/api/v3/cvs/${user.user_id}/${user.default_cv_id}?use_legacy_codes=false`);
      for (const experience of cv.project_experiences) {
        const pair = `${experience.reference_project?.external_unique_id}/${user.external_unique_id}`;
        if (experience.link_type !== 'linked') wrong.push(`${pair} is no hard link`);
        if (found.has(pair)) wrong.push(`${pair} is linked twice`);
        found.set(pair, experience.roles.map(({ name }) => name.en.toLowerCase()).sort());
      }
    }
    if (users.length < PAGE) break;
  }
  for (const [pair, roles] of wanted) {
    const there = found.get(pair);
    if (there === undefined) wrong.push(`${pair} is not linked`);
    else if (there.join() !== [...roles].sort().join()) wrong.push(`${pair} has the roles ${there.join(', ')}`);
  }
  for (const pair of found.keys()) if (!wanted.has(pair)) wrong.push(`${pair} should not be linked`);
  const shown = wrong.slice(0, 3).join('; ');
  return wrong.length === 0 ? `${found.size} links, each once` : `${wrong.length} LINKS WRONG: ${shown}`;
}

/** Yields all users of the service, page by page, with BASE_URL and API_KEY of the environment. */
export async function* listUsers() {
  const { BASE_URL, API_KEY } = process.env;
  const headers = { authorization: `Bearer ${API_KEY}` };
  for (let from = 0; ; from += 500) {
    const query = `from=${from}&size=500&deactivated=true&use_legacy_codes=false`;
    const page = await (await fetch(`${BASE_URL}/api/v2/users/search?${query}`, { headers })).json();
    yield page;
    if (page.length < 500) return;
  }
}

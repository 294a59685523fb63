import { describe, expect, it } from 'vitest';
import { change, loadSample, readProblems, SAMPLE, show } from './sample.js';

const NOTIFY = `notify:
  link: https://ops.example.com/
  channels:
    hook: { type: webhook, url: https://hooks.example.com/x, secret: { env: TALENT_API_KEY } }
    chat: { type: slack, url: { env: CHAT_URL } }
    mail: { type: smtp, host: smtp.example.com, from: a@example.com, to: [b@example.com] }
  digest: { at: "08:30" }
schedule: { timezone: Europe/Oslo }
`;
const TEXT = `${SAMPLE}${NOTIFY}`;
const ENV = { TALENT_API_KEY: 'key', IDP_TOKEN: 'token', CHAT_URL: 'https://chat.example.com/services/T0' };

describe('notify', () => {
  it('fills in what it leaves out, and does not affect what is derived', () => {
    const { notify, digest } = loadSample(TEXT, ENV);
    expect(notify).toMatchObject({
      link: 'https://ops.example.com',
      names: false,
      remindAfterMs: 86_400_000,
      lapseAfterMs: 3 * 86_400_000,
      channels: [
        {
          name: 'hook',
          address: { url: 'https://hooks.example.com/x', isPrivateAllowed: false, proxy: null, timeoutMs: 10_000 },
        },
        { name: 'chat', type: 'slack' },
        { name: 'mail', server: { port: 587, tls: 'starttls', ca: null, login: null, timeoutMs: 30_000 } },
      ],
      deadMan: null,
      digest: { every: '30 8 * * 1-5', timezone: 'Europe/Oslo' },
    });
    expect(JSON.stringify(notify)).not.toContain('services/T0');
    expect(digest).toBe(loadSample(SAMPLE).digest);
    expect(loadSample(SAMPLE).notify).toBeNull();
  });

  it('uses one proxy for everything outside its own network', () => {
    const proxy =
      '  proxy: { url: "http://proxy.example.com:3128", username: sync, password: { env: TALENT_API_KEY } }\n';
    const inside = 'url: https://hooks.example.com/x, private_addresses: allowed';
    const watch = '  dead_man: { url: https://watch.example.com }\n';
    const text = change('  digest:', `${proxy}${watch}  digest:`, TEXT);
    const { notify } = loadSample(change('url: https://hooks.example.com/x', inside, text), ENV);
    const via = { url: 'http://proxy.example.com:3128', login: { username: 'sync' } };
    expect(notify?.channels).toMatchObject([
      { address: { proxy: null } },
      { address: { proxy: via } },
      { type: 'smtp' },
    ]);
    expect(notify?.deadMan).toMatchObject({ proxy: via });
  });

  it('links to the operator pages of the same file by default', () => {
    const text = `${TEXT.replace('  link: https://ops.example.com/\n', '')}web: { listen: "127.0.0.1:0", state: ./web, public_url: https://sync.example.com }\n`;
    expect(loadSample(text, ENV).notify?.link).toBe('https://sync.example.com');
  });

  it.each([
    ['url: https://hooks', 'url: http://hooks', 'channels.hook.url', 'not encrypted', 'private_addresses: allowed'],
    ['host: smtp', 'tls: none, host: smtp', 'channels.mail.tls', 'must be encrypted', 'starttls'],
    ['host: smtp', 'username: me, host: smtp', 'channels.mail', 'both username and password', 'Add the other'],
    ['host: smtp', 'ca: ./no.pem, host: smtp', 'channels.mail.ca', 'cannot be read (ENOENT)', 'Put the PEM file'],
    ['    chat:', '    "my chat":', 'channels.my chat', 'cannot be the name of a channel', 'letters'],
    ['url: { env: CHAT_URL }', 'url: https://chat.example.com/x', 'channels.chat.url', '', ''],
    ['"08:30"', '"8:30"', 'digest.at', 'a time of day such as 08:00', ''],
    ['type: slack', 'type: slak', 'channels.chat.type', '', 'slack'],
  ])('rejects %s → %s', (piece, by, place, message, remedy) => {
    const [problem] = readProblems(change(piece, by, TEXT), ENV);
    expect(show(problem === undefined ? [] : [problem])[0]).toContain(place);
    expect(`${problem?.message} ${problem?.remedy}`).toContain(message);
    expect(`${problem?.message} ${problem?.remedy}`).toContain(remedy);
  });

  it('reports a secret that is not an address without showing it', () => {
    const problems = readProblems(TEXT, { ...ENV, CHAT_URL: 'no-address-at-all' });
    expect(JSON.stringify(problems)).toContain('the secret is not an address');
    expect(JSON.stringify(problems)).not.toContain('no-address-at-all');
  });
});

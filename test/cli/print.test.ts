import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { Secret } from '../../src/base/secrets/secret.js';
import { print, printJson, printPiece } from '../../src/cli/print.js';
import { createStyle } from '../../src/report/writers/style.js';

const KEY = 'a-key-that-nobody-may-read';

function capture(isTTY = false): { readonly stream: Writable & { readonly isTTY: boolean }; text(): string } {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), text: () => text };
}

it('keeps our colours on a terminal, and escapes those in the data', async () => {
  const out = capture(true);
  const { bad } = createStyle(true);
  await print(out.stream, `${bad('x \u001b[32mok\u001b[39m')}\n`);
  expect(out.text()).toBe('\u001b[31mx \\u001b[32mok\\u001b[39m\u001b[39m\n');
});

it('never lets assembled text become a colour', async () => {
  const out = capture(true);
  const mark = createStyle(true).bad('').slice(0, 1);
  await print(out.stream, `${mark}31mred`);
  expect(out.text()).not.toContain('\u001b');
});

it("prints a program's file unchanged into a pipe, and escaped on a terminal", async () => {
  const [pipe, terminal] = [capture(), capture(true)];
  for (const { stream } of [pipe, terminal]) await printPiece(stream, 'a\u202e\n');
  expect([pipe.text(), terminal.text()]).toEqual(['a\u202e\n', 'a\\u202e\n']);
});

it('hides secrets in texts, documents and their keys', async () => {
  new Secret(KEY);
  new Secret('123456789012');
  const [text, json] = [capture(), capture()];
  await print(text.stream, `key ${KEY}\n`);
  await printJson(json.stream, { [KEY]: [KEY, 123456789012], deep: { at: `https://x/?k=${encodeURIComponent(KEY)}` } });
  expect(text.text()).toBe('key [secret]\n');
  expect(JSON.parse(json.text())).toEqual({
    '[secret]': ['[secret]', 123456789012],
    deep: { at: 'https://x/?k=[secret]' },
  });
});

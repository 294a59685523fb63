// Records each path that the process opens from now on, in a file next to this one. Load it by `require`, or before a
// program
// by `node --require`; its export ends it.
const fs = require('node:fs');
const { join } = require('node:path');
const { syncBuiltinESMExports } = require('node:module');

const { appendFileSync: note } = fs;
const log = join(__dirname, 'opened.log');
const undone = [];
let isNoting = false;

function watch(holder, name) {
  const original = holder[name];
  undone.push(() => {
    holder[name] = original;
  });
  holder[name] = function watched(path, ...rest) {
    if (!isNoting && (typeof path === 'string' || path instanceof URL)) {
      isNoting = true;
      note(log, `${path}\n`);
      isNoting = false;
    }
    return original.call(this, path, ...rest);
  };
}

for (const name of ['openSync', 'open', 'readFileSync', 'readFile', 'createReadStream', 'readdirSync', 'readdir']) {
  watch(fs, name);
  if (name in fs.promises) watch(fs.promises, name);
}
syncBuiltinESMExports();
note(
  log,
  `${Object.keys(process.env)
    .map((name) => `/env/${name}`)
    .join('\n')}\n`,
);

module.exports = () => {
  for (const undo of undone) undo();
  syncBuiltinESMExports();
};

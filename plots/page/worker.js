
// A worker of the page: it runs the engine, whose loader stands above. The first message
// has the compiled module, the version and the files of the scenario; each later one an id and a
// request, which is answered by shares of the work done and a reply. Without memory the engine ends.
'use strict';
let started = null;

// The engine reads the files of the scenario as a program does; there are no others.
const files = new Map(), opened = new Map();
const missing = Object.assign(new Error('no such file'), {code: 'ENOENT'});
const described = (data) => ({dev: 0, ino: 0, mode: 0o100444, nlink: 1, uid: 0, gid: 0, rdev: 0, size: data.length,
  blksize: 4096, blocks: 0, atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => false});
const stat = (path, done) => files.has(path) ? done(null, described(files.get(path))) : done(missing);
let descriptor = 2; // of standard error
Object.assign(globalThis.fs, {
  stat, lstat: stat,
  open(path, flags, mode, done) {
    if (!files.has(path)) return done(missing);
    opened.set(++descriptor, {data: files.get(path), at: 0});
    done(null, descriptor);
  },
  fstat(number, done) { done(null, described(opened.get(number).data)); },
  read(number, buffer, offset, length, position, done) {
    const file = opened.get(number), from = position ?? file.at;
    const part = file.data.subarray(from, from + length);
    buffer.set(part, offset);
    if (position === null) file.at += part.length;
    done(null, part.length);
  },
  close(number, done) {
    opened.delete(number);
    done(null);
  },
});
const error = '{"error": "the engine ended: change a setting to try again"}';
const ended = () => postMessage({ended: true, reply: error});
onmessage = async (event) => {
  const message = event.data;
  if (message.module) {
    for (const [path, data] of message.files) files.set(path, data);
    const go = new Go();
    go.argv = ['revopt', message.version];
    started = WebAssembly.instantiate(message.module, go.importObject).then((instance) => {
      go.run(instance).finally(ended);
    });
    return;
  }
  await started;
  try {
    revopt(message.request, (reply) => { postMessage({id: message.id, reply}); },
      (done, total) => { postMessage({id: message.id, share: done / total}); });
  } catch {
    ended();
  }
};

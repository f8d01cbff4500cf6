
// A worker of the page: it runs the engine, whose loader stands above. The first message
// has the compiled module and the version; each later one an id and a request. Without memory the engine ends.
'use strict';
let started = null;
const error = '{"error": "the engine ended: change a setting to try again"}';
const ended = () => postMessage({ended: true, reply: error});
onmessage = async (event) => {
  const message = event.data;
  if (message.module) {
    const go = new Go();
    go.argv = ['revopt', message.version];
    started = WebAssembly.instantiate(message.module, go.importObject).then((instance) => {
      go.run(instance).finally(ended);
    });
    return;
  }
  await started;
  try {
    revopt(message.request, (reply) => { postMessage({id: message.id, reply}); });
  } catch {
    ended();
  }
};

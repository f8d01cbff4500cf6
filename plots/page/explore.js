'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);

  // compiled returns the module of the engine, which all workers share.
  async function compiled() {
    const bytes = Uint8Array.from(atob(data.engine), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  }

  async function start() {
    const module = await compiled();
    const code = document.getElementById('worker').textContent;
    const worker = new Worker(URL.createObjectURL(new Blob([code], {type: 'text/javascript'})));
    worker.postMessage({module, version: data.version});
    worker.onmessage = (event) => {
      const reply = JSON.parse(event.data.reply);
      document.getElementById('earns').textContent = reply.headline.earns;
      document.documentElement.dataset.ready = 'engine';
    };
    const request = {command: 'solve', scenario: data.scenario, name: data.name};
    worker.postMessage({id: 1, request: JSON.stringify(request)});
  }
  start();
})();

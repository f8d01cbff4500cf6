'use strict';

// unpacked returns what an element of the page holds: seven bits of compressed data in each character, or
// sixteen that begin with one of three characters that HTML has no place for.
function unpacked(id) {
  const element = document.getElementById(id), text = element.textContent;
  const bytes = new Uint8Array(+element.dataset.size), replaced = [0, 13, 60];
  for (let i = 0, at = 0, bits = 0, n = 0; i < text.length; i++) {
    const code = text.charCodeAt(i), wide = code - 256;
    bits = wide < 0 ? bits << 7 | code : bits << 16 | replaced[wide >> 9] << 9 | wide & 511;
    n += wide < 0 ? 7 : 16;
    for (; n >= 8; bits &= (1 << n) - 1) bytes[at++] = bits >> (n -= 8);
  }
  element.remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream, { headers: { 'Content-Type': 'application/wasm' } }); // which to compile asks for
}

// The other scripts are packed too. The page runs no script whose hash it does not name.
(async () => {
  for (const { id } of [...document.querySelectorAll('script[id$=".js"]')]) {
    const script = document.createElement('script');
    script.textContent = await unpacked(id).text();
    document.body.append(script);
  }
})();
